// A convolution as the command line names it: what `weft conv` and `weft explain conv` share.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/options/arguments.h"
#include "runtime/workload/network_conv.h"

namespace weft::cli {

/// --input, --filters, --kernel, --stride, --pad, --dilation, --groups, --taps, --with-bias,
/// --activation.
po::options_description conv_flags();

/// Throws InputError for missing options and values out of range.
runtime::ConvSpec read_conv(const Arguments& arguments);

}  // namespace weft::cli
