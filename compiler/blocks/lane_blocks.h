// What layers on the vector unit work on at once: a chunk of rows and a range of channels, tile by
// tile of C lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

/// At most C adjacent channels of a layer, one per lane.
struct LaneTile {
  std::int64_t first = 0;
  std::int64_t width = 1;
};
std::vector<LaneTile> lane_tiles(std::int64_t channels, const MachineConfig& config);

/// Channels [first, last) of a layer, in whole lane tiles.
struct ChannelRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
/// The channels cut into ranges of `tiles` lane tiles; the last may have fewer.
std::vector<ChannelRange> channel_ranges(std::int64_t channels, std::int64_t tiles,
                                         const MachineConfig& config);

/// The planes of `view` in which channels [range.first, range.last) of the layer lie.
Planes planes_of(const View& view, const ChannelRange& range, const Places& places);
/// The rows and planes of `view` that a chunk writes; the rows are consecutive.
Block write_block(const View& view, const Chunk& chunk, const ChannelRange& range,
                  const Places& places);

/// The planes of a depthwise convolution's filters that a tile needs.
Planes filter_planes(const LaneTile& tile, const MachineConfig& config);

/// The row of a step's second operand that belongs to the chunk's first row. It counts rows of the
/// operand; times `step.b_step`, it counts rows of the sheet.
std::int64_t operand_row(const LaneStep& step, const Chunk& chunk);
/// What a step reads of its second operand, a view.
Block operand_block(const LaneStep& step, const Chunk& chunk, const ChannelRange& range,
                    const Places& places);

}  // namespace weft::compiler
