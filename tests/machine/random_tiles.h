// Plans of products whose tiles come through the unified buffer.
#pragma once

#include "compiler/mapping/buffers.h"
#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "tests/machine/random_program.h"

namespace weft::testing {

/// Every other plan with some tiles, or all, that come through the unified buffer, if they fit.
inline TilingPlan with_random_tiles(const TilingPlan& plan, const MachineConfig& config,
                                    Random& random) {
  if (random.chance(50)) return plan;
  const std::uint32_t share = random.chance(50) ? kTileShares : random.between(1, kTileShares);
  return with_tile_slots(plan, config, random.between(1, 8), share).value_or(plan);
}

}  // namespace weft::testing
