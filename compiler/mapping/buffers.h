// The ways to divide the unified buffer and the accumulators for a given chunk size and loop order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/mapping/tiling_plan.h"

namespace weft {

/// The fewest UB rows that a matmul can run with: one row of activations, one of results, and one
/// of bias if there is one.
std::uint64_t least_buffer_rows(const MatmulSpec& spec, const MachineConfig& config);

/// The most rows that a chunk can have, limited by M, the accumulators and the UB; 0 if none fits.
std::uint32_t largest_chunk(const MatmulSpec& spec, const MachineConfig& config);

/// `base` (with spec, tiles, chunks and order set) with each division of the buffers that fits the
/// machine and is worth trying. There is at least one if base.chunk_rows <= largest_chunk().
std::vector<TilingPlan> buffer_layouts(const TilingPlan& base, const MachineConfig& config);

/// `plan` with `slots` slots for tiles. Of every kTileShares tiles, `share` come through them; if
/// these are fewer than `slots`, there is a slot for each. What is left of the buffer goes to
/// results. Returns nullopt if nothing is left, or if no tile would be buffered.
std::optional<TilingPlan> with_tile_slots(const TilingPlan& plan, const MachineConfig& config,
                                          std::uint32_t slots, std::uint32_t share);

/// UB rows with columns of the product, of a result of its last column tile. The others, up to
/// MachineConfig::result_row_rows(), are padding.
std::uint32_t last_result_rows(const MatmulSpec& spec, const MachineConfig& config);

}  // namespace weft
