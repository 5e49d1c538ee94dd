// How the weights and the results of a product in rings travel: tiles through the unified buffer
// (Mapping::buffered_tiles), results one by one (Mapping::stores_by_row).
#pragma once

#include <span>

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft {

struct CostedPlan {
  TilingPlan plan;
  Cycle cycles = 0;
};

/// The best of `chosen` and of all plans with other transfers, by exact replay. Another than
/// `chosen` must save a fiftieth of its cycles. A plan of `known` that loses to `chosen` may win
/// with other transfers; while replays are short, all of them are tried.
TilingPlan with_best_transfers(const CostedPlan& chosen, std::span<const CostedPlan> known,
                               const MachineConfig& config);

}  // namespace weft
