// UB rows of staging that one step of a layer on the vector unit takes at once.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/blocks/constant_rows.h"
#include "compiler/blocks/lane_blocks.h"
#include "compiler/blocks/places.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

/// UB rows of one block of wide rows (32-bit words): one for each row of the chunk.
std::uint64_t wide_rows(const Chunk& chunk, const MachineConfig& config);

/// Blocks of wide rows between the steps of an element-wise layer.
std::uint64_t wide_blocks(const ElementwiseLayer& layer);
/// Blocks of wide rows for the sums of a window: tiles alternate between two, so that one drains
/// while the next is summed. A maximum needs none.
std::uint64_t sum_blocks(const WindowLayer& layer, const ChannelRange& range,
                         const MachineConfig& config);

/// Blocks of wide rows that a layer along the channels keeps for a chunk: for each tile of lanes,
/// and for statistics of a row.
struct RowBuffers {
  std::uint64_t tile_buffers = 0;
  std::uint64_t statistics = 0;
};
RowBuffers row_buffers(const SoftmaxLayer& layer);
RowBuffers row_buffers(const NormalizationLayer& layer);

/// Staging for the channels `range` of a chunk. Layers along the channels take all channels,
/// whatever the range. `constants` are those of the layer.
std::uint64_t staged(const ElementwiseLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants);
std::uint64_t staged(const WindowLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants);
std::uint64_t staged(const SoftmaxLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants);
std::uint64_t staged(const NormalizationLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants);
std::uint64_t staged(const ReductionLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants);

}  // namespace weft::compiler
