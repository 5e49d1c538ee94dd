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
    memory_.staging().begin_use(staged(layer_, chunk, range, places, constants_));
    const ChunkInput::ChunkRows a = input_.read(chunk, planes_of(layer_.a, range, places));
    steps_.read(chunk, range);
    const Placement out = write_place(layer_.out, chunk, range, context_);
    wide_.clear();
    for (std::uint64_t i = 0; i < wide_blocks(layer_); ++i) {
      wide_.push_back(memory_.staging().stage(wide_rows(chunk, context_.config)));
    }
    for (const LaneTile& tile : tiles_) {
      if (tile.first < range.first || tile.first >= range.last) continue;
      run_tile(chunk, tile, a, out);
    }
    memory_.wrote(layer_.out.sheet, write_block(layer_.out, chunk, range, places), out);
  }

  void run_tile(const Chunk& chunk, const LaneTile& tile, const ChunkInput::ChunkRows& a,
                const Placement& out) {
    VectorSource source = narrow_source(layer_.a, chunk, tile, a, context_, 0, 0, layer_.pad);
    source.quantization = layer_.a_quantization;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      const std::uint32_t to = wide_[i % wide_.size()];
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
