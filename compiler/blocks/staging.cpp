#include "compiler/blocks/staging.h"

#include <algorithm>
#include <variant>

#include "compiler/blocks/chunk_copy.h"

namespace weft::compiler {
namespace {

// A step reads one block of wide rows and writes the other.
constexpr std::uint64_t kWideBlocks = 2;
constexpr std::uint64_t kSumBlocks = 2;

/// The second operands that are views. A single channel is repeated in wide rows.
std::uint64_t need_of(const std::vector<LaneStep>& steps, const Chunk& chunk,
                      const ChannelRange& range, const Places& places) {
  std::uint64_t rows = 0;
  for (const LaneStep& step : steps) {
    const auto* view = std::get_if<View>(&step.b);
    if (view == nullptr) continue;
    rows += places.staging_need(view->sheet, operand_block(step, chunk, range, places));
    if (step.b_lane) rows += wide_rows(chunk, places.config());
  }
  return rows;
}

/// The operand of `a_range` and the result of `out_range`.
template <class Layer>
std::uint64_t need_of_views(const Layer& layer, const Chunk& chunk, const ChannelRange& a_range,
                            const ChannelRange& out_range, const Places& places) {
  return input_need(places, layer.a.sheet, layer.walk, chunk, planes_of(layer.a, a_range, places)) +
         places.staging_need(layer.out.sheet, write_block(layer.out, chunk, out_range, places));
}

template <class Layer>
std::uint64_t need_along_channels(const Layer& layer, const Chunk& chunk, const Places& places) {
  const ChannelRange all{0, layer.channels};
  const std::uint64_t tiles = lane_tiles(layer.channels, places.config()).size();
  const RowBuffers buffers = row_buffers(layer);
  return need_of_views(layer, chunk, all, all, places) +
         (buffers.tile_buffers * tiles + buffers.statistics) * wide_rows(chunk, places.config());
}

}  // namespace

std::uint64_t wide_rows(const Chunk& chunk, const MachineConfig& config) {
  return static_cast<std::uint64_t>(chunk.rows()) * config.result_row_rows();
}

std::uint64_t wide_blocks(const ElementwiseLayer& layer) {
  return std::min<std::uint64_t>(kWideBlocks, layer.steps.size() - 1);
}

std::uint64_t sum_blocks(const WindowLayer& layer, const ChannelRange& range,
                         const MachineConfig& config) {
  if (layer.kind == WindowKind::kMax) return 0;
  return range.last - range.first > config.array_cols ? kSumBlocks : 1;
}

RowBuffers row_buffers(const SoftmaxLayer& layer) {
  return {layer.steps.empty() ? 1U : 2U, 3};
}

RowBuffers row_buffers(const NormalizationLayer&) {
  return {2, 2};
}

std::uint64_t staged(const ElementwiseLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants) {
  return need_of_views(layer, chunk, range, range, places) +
         need_of(layer.steps, chunk, range, places) + staging_need(constants) +
         wide_blocks(layer) * wide_rows(chunk, places.config());
}

std::uint64_t staged(const WindowLayer& layer, const Chunk& chunk, const ChannelRange& range,
                     const Places& places, std::span<const PlacedConstant> constants) {
  std::uint64_t rows = need_of_views(layer, chunk, range, range, places) + staging_need(constants);
  if (const auto& residual = layer.epilogue.residual) {
    rows += places.staging_need(residual->sheet, write_block(*residual, chunk, range, places));
  }
  return rows + sum_blocks(layer, range, places.config()) * wide_rows(chunk, places.config());
}

std::uint64_t staged(const SoftmaxLayer& layer, const Chunk& chunk, const ChannelRange&,
                     const Places& places, std::span<const PlacedConstant> constants) {
  return need_along_channels(layer, chunk, places) +
         need_of(layer.steps, chunk, {0, layer.channels}, places) + staging_need(constants);
}

std::uint64_t staged(const NormalizationLayer& layer, const Chunk& chunk, const ChannelRange&,
                     const Places& places, std::span<const PlacedConstant> constants) {
  return need_along_channels(layer, chunk, places) + staging_need(constants);
}

std::uint64_t staged(const ReductionLayer& layer, const Chunk& chunk, const ChannelRange&,
                     const Places& places, std::span<const PlacedConstant> constants) {
  return need_of_views(layer, chunk, {0, layer.channels}, {0, 1}, places) +
         staging_need(constants) + wide_rows(chunk, places.config());
}

}  // namespace weft::compiler
