// How the unified buffer and the accumulators can be divided for a given chunk size and loop order.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/tiling_plan.h"

namespace weft {

/// UB rows that instructions can address and the machine has.
std::uint64_t usable_buffer_rows(const MachineConfig& config);

/// UB rows without which nothing can run: one of activations, one of results, one of bias if any.
std::uint64_t least_buffer_rows(const MatmulSpec& spec, const MachineConfig& config);

/// The most rows a chunk can have: M, the accumulators or the UB are the limit. 0: none fits.
std::uint32_t largest_chunk(const MatmulSpec& spec, const MachineConfig& config);

/// `base` (spec, tiles, chunks and order are set) with each division of the buffers worth trying
/// that fits the machine; one at least if its chunk_rows <= largest_chunk().
std::vector<TilingPlan> buffer_layouts(const TilingPlan& base, const MachineConfig& config);

}  // namespace weft
