// Chooses how a product is cut, by the exact cycles of the instructions that each way leads to.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft {

/// The plan's exact cycles. Takes the number of instructions that were replayed from `left`; those
/// of skipped repetitions do not count. nullopt if more would be needed, if there are more than
/// `most` cycles, or if no run can be so long.
std::optional<Cycle> cycles_of(const TilingPlan& plan, const MachineConfig& config,
                               std::uint64_t& left, Cycle most = std::numeric_limits<Cycle>::max());

/// The plan that the compiler takes. The candidates of matmul_plans() are replayed exactly: the
/// first is the simple plan, or another if it saves a fiftieth of the cycles. Then those of
/// plans_of_equal_chunks() are replayed, until all have taken their share of instructions, and
/// search_product() looks further. If the first candidate is too long for a replay, it is the plan.
/// Throws as matmul_plans() does.
TilingPlan map_product(const MatmulSpec& spec, const MachineConfig& config);

}  // namespace weft
