// Chooses how a product is cut, by the exact cycles of the instructions that each way leads to.
#pragma once

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft {

/// The plan that the compiler takes. The candidates of matmul_plans() are replayed exactly, in
/// their order, until the replay has taken its share of instructions. Another than the first is
/// taken only if it saves at least a fiftieth of the cycles. Then those of plans_of_equal_chunks()
/// are, and one of them must save a twentieth, and a cycle for each instruction that it adds.
/// Throws as matmul_plans() does.
TilingPlan map_product(const MatmulSpec& spec, const MachineConfig& config);

}  // namespace weft
