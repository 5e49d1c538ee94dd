// Building blocks of layers on the vector unit: operands of instructions for a chunk and a tile of
// C lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/blocks/lane_blocks.h"
#include "compiler/emit/chunk_input.h"
#include "compiler/emit/epilogue.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/chunks.h"

namespace weft::compiler {

/// The chunks and channel ranges of a layer, which works on one pair of them at a time.
struct StagedBlocks {
  Chunks chunks;
  std::vector<ChannelRange> ranges;
};
StagedBlocks staged_blocks(const RowWalk& walk, std::int64_t channels, const Mapping& mapping,
                           const MachineConfig& config);

/// Room for write_block(). Channels before the range in its first plane are loaded again.
Placement write_place(const View& view, const Chunk& chunk, const ChannelRange& range,
                      LoweringContext& context);

/// A tile of a narrow view (elements of the array's type) through tap (ky, kx) of the walk.
VectorSource narrow_source(const View& view, const Chunk& chunk, const LaneTile& tile,
                           const ChunkInput::ChunkRows& rows, const LoweringContext& context,
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

}  // namespace weft::compiler
