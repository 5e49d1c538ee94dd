// The search for the plan of a product in rings, from the best of the plans that the closed
// estimate proposes.
#pragma once

#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft {

struct CostedPlan {
  TilingPlan plan;
  Cycle cycles = 0;
};

/// The best plan that an exact replay finds. `known` has at least one plan, and the first is the
/// simple plan. The search also changes these plans in
///  - how weights and results travel: tiles through the unified buffer (Mapping::buffered_tiles),
///    results one by one (Mapping::stores_by_row),
///  - the size of their chunks,
///  - their pacing, as for a machine with fewer tiles in the weight FIFO or shorter queues.
/// The simple plan is kept unless another saves enough (docs/compiler.md, "One compiler").
TilingPlan search_product(const std::vector<CostedPlan>& known, const MachineConfig& config);

}  // namespace weft
