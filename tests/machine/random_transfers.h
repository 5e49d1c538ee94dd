// Plans of products with other transfers than usual: Mapping::buffered_tiles and stores_by_row.
#pragma once

#include "compiler/mapping/buffers.h"
#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "tests/machine/random_program.h"

namespace weft::testing {

/// Every third plan with results that leave one by one, if they have rows of padding.
inline TilingPlan with_random_stores(TilingPlan plan, const MachineConfig& config, Random& random) {
  plan.stores_by_row =
      random.chance(33) && last_result_rows(plan.spec, config) < config.result_row_rows();
  return plan;
}

/// The same, and every other plan with some tiles, or all, that come through the unified buffer, if
/// they fit.
inline TilingPlan with_random_transfers(const TilingPlan& plan, const MachineConfig& config,
                                        Random& random) {
  const TilingPlan stored = with_random_stores(plan, config, random);
  if (random.chance(50)) return stored;
  const std::uint32_t share = random.chance(50) ? kTileShares : random.between(1, kTileShares);
  return with_tile_slots(stored, config, random.between(1, 8), share).value_or(stored);
}

}  // namespace weft::testing
