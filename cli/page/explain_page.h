// The pages of `weft explain`: the explained run, with random values on the array, and the curve of
// a sweep.
#pragma once

#include <string>

#include "cli/explain/conv_explanation.h"
#include "cli/explain/product_explanation.h"
#include "cli/page/page_data.h"
#include "cli/streams.h"

namespace weft::cli {

/// Throws InputError, ConfigError.
Json product_page_data(const ProductExplanation& explanation, const std::string& command_line);

/// Runs the convolution with values and writes its page to `file`. Throws InputError, ConfigError,
/// SimulationError.
void write_conv_page(const std::string& file, const ConvExplanation& explanation,
                     const std::string& command_line, const Streams& streams);

}  // namespace weft::cli
