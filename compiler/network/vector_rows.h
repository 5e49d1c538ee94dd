// Building blocks of layers on the vector unit: chunks whose rows fit staging, and operands of its
// instructions for a chunk and a tile of C lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/network/chunk_input.h"
#include "compiler/network/chunks.h"
#include "compiler/network/epilogue.h"
#include "compiler/network/lower_layer.h"

namespace weft::network {

/// C lanes of a layer's channels.
struct LaneTile {
  std::int64_t first = 0;
  std::int64_t width = 1;
};
std::vector<LaneTile> lane_tiles(std::int64_t channels, const MachineConfig& config);

/// Channels [first, last) of a layer: whole lane tiles.
struct ChannelRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// What a layer works on at once.
struct StagedBlocks {
  std::vector<Chunk> chunks;
  std::vector<ChannelRange> ranges;
};

/// The staging that one row of one tile needs at most, by `need`: a layer cannot do with less.
std::uint64_t least_staging(
    const RowWalk& walk, std::int64_t channels, const MachineConfig& config,
    const std::function<std::uint64_t(const Chunk&, const ChannelRange&)>& need);

/// Chunks of a walk and ranges of its `channels` of which each pair needs at most the staging there
/// is, by `need`: as few chunks as can be, and of those the fewest ranges. Throws ConfigError
/// naming the layer if not even one row of one tile fits.
StagedBlocks staged_blocks(
    const RowWalk& walk, std::int64_t channels, const LoweringContext& context,
    const std::function<std::uint64_t(const Chunk&, const ChannelRange&)>& need);

/// The same for layers that work on whole rows at once.
std::vector<Chunk> whole_row_chunks(const RowWalk& walk, const LoweringContext& context,
                                    const std::function<std::uint64_t(const Chunk&)>& need);

/// The planes of `view` in which channels [range.first, range.last) of the layer lie.
Planes planes_of(const View& view, const ChannelRange& range, const LoweringContext& context);
/// The rows and planes of `view` that a chunk writes: rows follow each other.
Block write_block(const View& view, const Chunk& chunk, const ChannelRange& range,
                  const LoweringContext& context);
/// Room for them, with the channels that lie before them in their first plane.
Placement write_place(const View& view, const Chunk& chunk, const ChannelRange& range,
                      LoweringContext& context);

/// A tile of a narrow view through tap (ky, kx) of the walk.
VectorSource narrow_source(const View& view, const Chunk& chunk, const LaneTile& tile,
                           const ChunkInput::Rows& rows, const LoweringContext& context,
                           std::int64_t ky = 0, std::int64_t kx = 0, std::uint16_t pad = 0);

/// `rows` wide rows one after the other from UB row `base` on.
VectorSource wide_source(std::uint32_t base, std::int64_t rows, const MachineConfig& config);
/// Wide rows that walk along, or one for all rows.
VectorOperand wide_operand(std::uint32_t base, const MachineConfig& config);
VectorOperand constant_operand(std::uint32_t base);

/// An instruction that writes wide rows of a tile.
Vector to_wide(VectorSource source, std::uint32_t base, std::int64_t rows, const LaneTile& tile,
               const MachineConfig& config);
/// One that writes a tile of `out`, which lies at `placement`.
Vector to_narrow(VectorSource source, const View& out, const Placement& placement,
                 const Chunk& chunk, const LaneTile& tile, const LoweringContext& context);

/// Appends the instruction and counts its cycles.
void emit(Vector vector, LoweringContext& context);

}  // namespace weft::network
