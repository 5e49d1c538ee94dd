// The lower bound (compiler/mapping/bound/bound.h) of what the compiler gives to the machine.
#pragma once

#include <vector>

#include "compiler/mapping/bound/bound.h"
#include "compiler/mapping/tiling_plan.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/compile_network.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

Bound lower_bound(const ScheduledNetwork& network, const MachineConfig& config);
Bound lower_bound(const NetworkProgram& network, const MachineConfig& config);

/// The work of each layer, in the order of the steps; a layer of the host asks for nothing. A layer
/// counts its node and all that went into it: an activation, a quantization, a view.
std::vector<WorkBound> layer_bounds(const ScheduledNetwork& network, const MachineConfig& config);
std::vector<WorkBound> layer_bounds(const NetworkProgram& network, const MachineConfig& config);

/// Of one product.
Bound lower_bound(const MatmulSpec& spec, const MachineConfig& config);

}  // namespace weft::compiler
