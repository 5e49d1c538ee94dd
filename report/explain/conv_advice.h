// Numbers of filters or channels that would use the array better. Each is tried on the analytic
// engine; those that gain nothing are left out.
#pragma once

#include <string>
#include <vector>

#include "runtime/analysis/contraction_shape.h"
#include "runtime/workload/network_conv.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::report {

/// Returns sentences, the largest waste first. `total` is the number of cycles of the convolution
/// itself, which must run on the array, in blocks of `shape`.
std::vector<std::string> conv_advice(const runtime::ConvSpec& spec, const MachineConfig& config,
                                     Cycle total, const runtime::ContractionShape& shape);

}  // namespace weft::report
