// The network that a command line names, with its inputs: an ONNX file or a built-in network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.h"
#include "runtime/workload/network_inputs.h"
#include "runtime/workload/network_source.h"

namespace weft::cli {

/// --batch, --sequence, --kv-cache, --shape.
po::options_description network_flags();

/// Reads the only positional argument and the flags above. Throws InputError for missing or
/// malformed ones, and for flags that the network does not take.
runtime::NetworkRequest read_network_request(const Arguments& arguments);

/// --input.
po::options_description input_flag();

/// Reads the files that --input names. Throws InputError.
std::vector<runtime::InputFile> read_input_files(const Arguments& arguments);

}  // namespace weft::cli
