// A convolution as the command line names it: what `weft conv` and `weft explain conv` share.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/network_conv.h"

namespace weft::cli {

/// Far larger than any layer, yet small enough that sums of a few extents cannot overflow.
inline constexpr std::uint64_t kLargestConvExtent = std::uint64_t{1} << 31U;

/// --input, --filters, --kernel, --stride, --pad, --dilation, --groups, --with-bias, --activation.
po::options_description conv_flags();

/// Throws InputError for missing options and values out of range.
ConvSpec read_conv(const Arguments& arguments);

/// The whole convolution, as `workload.conv` of the reports. Pads are four numbers or "same".
nlohmann::ordered_json conv_json(const ConvSpec& spec);

}  // namespace weft::cli
