// Building blocks of layers on the vector unit: chunks whose rows fit in staging, and operands of
// instructions for a chunk and a tile of C lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/emit/chunk_input.h"
#include "compiler/emit/epilogue.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/chunks.h"

namespace weft::network {

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

/// The chunks and channel ranges of a layer, which works on one pair of them at a time.
struct StagedBlocks {
  std::vector<Chunk> chunks;
  std::vector<ChannelRange> ranges;
};

/// The most staging that one row of one tile needs, by `need`. The layer cannot run with less.
std::uint64_t least_staging(
    const RowWalk& walk, std::int64_t channels, const MachineConfig& config,
    const std::function<std::uint64_t(const Chunk&, const ChannelRange&)>& need);

/// Cuts a walk into chunks and its `channels` into ranges so that each pair fits in staging, by
/// `need`: the fewest chunks possible, then the fewest ranges. Throws ConfigError naming the layer
/// if not even one row of one tile fits.
StagedBlocks staged_blocks(
    const RowWalk& walk, std::int64_t channels, const LoweringContext& context,
    const std::function<std::uint64_t(const Chunk&, const ChannelRange&)>& need);

/// Like staged_blocks(), for layers that work on whole rows.
std::vector<Chunk> whole_row_chunks(const RowWalk& walk, const LoweringContext& context,
                                    const std::function<std::uint64_t(const Chunk&)>& need);

/// The planes of `view` in which channels [range.first, range.last) of the layer lie.
Planes planes_of(const View& view, const ChannelRange& range, const LoweringContext& context);
/// The rows and planes of `view` that a chunk writes; the rows are consecutive.
Block write_block(const View& view, const Chunk& chunk, const ChannelRange& range,
                  const LoweringContext& context);
/// Room for that block. Channels before the range in its first plane are loaded again.
Placement write_place(const View& view, const Chunk& chunk, const ChannelRange& range,
                      LoweringContext& context);

/// A tile of a narrow view (elements of the array's type) through tap (ky, kx) of the walk.
VectorSource narrow_source(const View& view, const Chunk& chunk, const LaneTile& tile,
                           const ChunkInput::Rows& rows, const LoweringContext& context,
                           std::int64_t ky = 0, std::int64_t kx = 0, std::uint16_t pad = 0);

/// `rows` consecutive wide rows (32-bit words) from UB row `base` on.
VectorSource wide_source(std::uint32_t base, std::int64_t rows, const MachineConfig& config);
/// A wide row for each row of the source, or one wide row for all of them.
VectorOperand wide_operand(std::uint32_t base, const MachineConfig& config);
VectorOperand constant_operand(std::uint32_t base);

/// An instruction that writes a tile as wide rows.
Vector to_wide(VectorSource source, std::uint32_t base, std::int64_t rows, const LaneTile& tile,
               const MachineConfig& config);
/// An instruction that writes a tile of `out`, which lies at `placement`.
Vector to_narrow(VectorSource source, const View& out, const Placement& placement,
                 const Chunk& chunk, const LaneTile& tile, const LoweringContext& context);

/// Appends the instruction and counts its cycles.
void emit(Vector vector, LoweringContext& context);

}  // namespace weft::network
