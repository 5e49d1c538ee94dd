// Element-wise layers and copies: for each chunk and tile one instruction per step. The first step
// reads the operand's rows, the last writes the result's. In between are wide rows (32-bit words).
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "compiler/blocks/staging.h"
#include "compiler/emit/vector/lane_steps.h"

namespace weft::compiler {
namespace {

class ElementwiseLowering {
 public:
  ElementwiseLowering(const ElementwiseLayer& layer, const Mapping& mapping,
                      LoweringContext& context)
      : layer_(layer),
        mapping_(mapping),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)),
        input_(context.memory, layer.a.sheet, layer.a.row, layer.walk),
        constants_(context.constants.subspan(context.constants_begun, constant_count(layer.steps))),
        steps_(layer.steps, layer.channels, context) {}

  void run() {
    const StagedBlocks blocks =
        staged_blocks(layer_.walk, layer_.channels, mapping_, context_.config);
    context_.info.chunks += static_cast<std::uint64_t>(blocks.chunks.size());
    context_.info.n_tiles = std::max<std::uint64_t>(context_.info.n_tiles, tiles_.size());
    for (std::int64_t i = 0; i < blocks.chunks.size(); ++i) {
      const Chunk chunk = blocks.chunks[i];
      for (const ChannelRange& range : blocks.ranges) run_block(chunk, range);
    }
  }

 private:
  void run_block(const Chunk& chunk, const ChannelRange& range) {
    const Places& places = context_.places();
    const std::size_t sets = wide_sets(chunk, range);
    memory_.staging().begin_use(staged(layer_, chunk, range, places, constants_) +
                                (sets - 1) * wide_need(chunk));
    const ChunkInput::ChunkRows a = input_.read(chunk, planes_of(layer_.a, range, places));
    steps_.read(chunk, range);
    const Placement out = write_place(layer_.out, chunk, range, context_);
    wide_.clear();
    for (std::uint64_t i = 0; i < sets * wide_blocks(layer_); ++i) {
      wide_.push_back(memory_.staging().stage(wide_rows(chunk, context_.config)));
    }
    std::size_t set = 0;
    for (const LaneTile& tile : tiles_) {
      if (!is_in(range, tile)) continue;
      run_tile(chunk, tile, a, out, std::span(wide_).subspan(set * wide_blocks(layer_)));
      set = (set + 1) % sets;
    }
    memory_.wrote(layer_.out.sheet, write_block(layer_.out, chunk, range, places), out);
  }

  static bool is_in(const ChannelRange& range, const LaneTile& tile) {
    return tile.first >= range.first && tile.first < range.last;
  }

  std::uint64_t wide_need(const Chunk& chunk) const {
    return wide_blocks(layer_) * wide_rows(chunk, context_.config);
  }

  /// How many tiles have wide rows of their own. If tiles of weights are shared, the channels of a
  /// result are not computed one after the other, and would wait for the same wide rows.
  std::size_t wide_sets(const Chunk& chunk, const ChannelRange& range) const {
    if (!context_.shares_tiles) return 1;
    const auto tiles = static_cast<std::size_t>(
        std::ranges::count_if(tiles_, [&](const LaneTile& tile) { return is_in(range, tile); }));
    const std::uint64_t need = staged(layer_, chunk, range, context_.places(), constants_) +
                               (tiles - 1) * wide_need(chunk);
    return need <= memory_.staging().rows() ? tiles : 1;
  }

  void run_tile(const Chunk& chunk, const LaneTile& tile, const ChunkInput::ChunkRows& a,
                const Placement& out, std::span<const std::uint32_t> wide) {
    VectorSource source = narrow_source(layer_.a, chunk, tile, a, context_, 0, 0, layer_.pad);
    source.quantization = layer_.a_quantization;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      const std::uint32_t to = wide[i % wide_blocks(layer_)];
      Vector vector = to_wide(source, to, chunk.rows(), tile, context_.config);
      steps_.apply(i, tile, vector);
      emit(std::move(vector), context_);
      source = wide_source(to, chunk.rows(), context_.config);
    }
    Vector vector = to_narrow(source, layer_.out, out, chunk, tile, context_);
    vector.fill = vector.fill || layer_.fills_plane;
    vector.domain = layer_.domain;
    vector.quantization = layer_.quantization;
    steps_.apply(steps_.size() - 1, tile, vector);
    emit(std::move(vector), context_);
  }

  const ElementwiseLayer& layer_;
  const Mapping& mapping_;
  LoweringContext& context_;
  SheetMemory& memory_;
  std::vector<LaneTile> tiles_;
  ChunkInput input_;
  const std::span<const PlacedConstant> constants_;  // of this part
  LaneSteps steps_;
  std::vector<std::uint32_t> wide_;  // of the chunk
};

}  // namespace

void lower(const ElementwiseLayer& layer, LoweringContext& context) {
  ElementwiseLowering(layer, context.mappings.front(), context).run();
}

void lower(const ConcatLayer& layer, LoweringContext& context) {
  for (std::size_t i = 0; i < layer.parts.size(); ++i) {
    ElementwiseLowering(layer.parts[i], context.mappings[i], context).run();
  }
}

}  // namespace weft::compiler
