// The command line of `weft train`, checked before anything is read or computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options/arguments.h"
#include "report/streams.h"
#include "runtime/train/train_request.h"

namespace weft::cli {

po::options_description train_options();

/// Throws InputError and ConfigError for unknown names, numbers out of range, options that
/// contradict each other, and files that cannot be written or would replace each other.
runtime::TrainRequest read_train_request(const Arguments& arguments);

}  // namespace weft::cli
