// Which numbers of filters, channels or images would use the array better, each tried on the
// analytic engine; one that gains nothing is not mentioned.
#pragma once

#include <string>
#include <vector>

#include "cli/network_conv.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::cli {

/// Sentences, the largest waste first. `total` are the cycles of the convolution itself, which runs
/// on the array.
std::vector<std::string> conv_advice(const ConvSpec& spec, const MachineConfig& config,
                                     Cycle total);

}  // namespace weft::cli
