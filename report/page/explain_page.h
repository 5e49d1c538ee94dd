// The pages of `weft explain`: the explained run, with random values on the array, and the curve of
// a sweep.
#pragma once

#include <functional>
#include <string>

#include "report/explain/conv_explanation.h"
#include "report/explain/layer/layer_explanation.h"
#include "report/explain/product_explanation.h"
#include "report/page/page_data.h"

namespace weft::report {

/// Throws InputError, ConfigError.
Json product_page_data(const ProductExplanation& explanation, const std::string& command_line);

/// Runs the convolution with values. Throws InputError, ConfigError, SimulationError.
Json conv_page_data(const ConvExplanation& explanation, const std::string& command_line,
                    const std::function<void(double)>& progress);

/// The network's run on engine `analytic`, and the other ways to run the layer. Throws InputError,
/// ConfigError, SimulationError.
Json layer_page_data(const LayerExplanation& explanation, const std::string& command_line,
                     const std::function<void(double)>& progress);

}  // namespace weft::report
