// How a layer on the vector unit is mapped: how many rows and channels it works on at once.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "compiler/blocks/lane_blocks.h"
#include "compiler/blocks/places.h"
#include "compiler/layers/chunks.h"
#include "compiler/mapping/misfit.h"
#include "compiler/program/mapping.h"

namespace weft::compiler {

// Rows of a vector instruction: enough to make its latency small, few enough that later work can
// begin before a large image is done.
inline constexpr std::int64_t kRowsAtOnce = 1024;

/// UB rows of staging for the channels of a chunk.
using StagingNeed = std::function<std::uint64_t(const Chunk&, const ChannelRange&)>;

/// Cuts a walk into chunks and its `channels` into ranges so that each pair fits in staging, by
/// `need`: the fewest chunks possible, then the fewest ranges. A misfit if not even one row of one
/// tile fits.
std::variant<Mapping, Misfit> map_lanes(const RowWalk& walk, std::int64_t channels,
                                        const Places& places, const StagingNeed& need);

/// The most staging that one row of one tile needs, by `need`. The layer cannot run with less.
std::uint64_t least_staging(const RowWalk& walk, std::int64_t channels, const MachineConfig& config,
                            const StagingNeed& need);

/// Rows of the unified buffer.
struct BufferNeed {
  std::uint64_t rows = 0;   // needed at once
  std::uint64_t there = 0;  // available
};

/// The least that a pool needs, with one row of one tile at a time and nothing else in the buffer.
/// It includes all rows of a window. The layer's views refer to `sheets`. Filters do not count.
BufferNeed least_need(const WindowLayer& layer, const std::vector<Sheet>& sheets,
                      const MachineConfig& config);

}  // namespace weft::compiler
