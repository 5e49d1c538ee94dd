// Element-wise layers and copies: for each chunk and tile one instruction per step. The first step
// reads the operand's rows, the last writes the result's. In between are wide rows (32-bit words).
#include <algorithm>
#include <utility>

#include "compiler/emit/vector/lane_steps.h"

namespace weft::network {
namespace {

// A step reads one block of wide rows and writes the other.
constexpr std::uint64_t kWideBlocks = 2;

class Elementwise {
 public:
  Elementwise(const ElementwiseLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)),
        input_(context.memory, layer.a.sheet, layer.a.row, layer.walk),
        steps_(layer.steps, layer.channels, context) {}

  void run() {
    const StagedBlocks blocks = staged_blocks(
        layer_.walk, layer_.channels, context_,
        [this](const Chunk& chunk, const ChannelRange& range) { return staged(chunk, range); });
    context_.info.chunks += blocks.chunks.size();
    context_.info.n_tiles = std::max<std::uint64_t>(context_.info.n_tiles, tiles_.size());
    for (const Chunk& chunk : blocks.chunks) {
      for (const ChannelRange& range : blocks.ranges) run_block(chunk, range);
    }
  }

 private:
  std::uint64_t wide_rows(const Chunk& chunk) const {
    return static_cast<std::uint64_t>(chunk.rows()) * context_.config.result_row_rows();
  }
  std::uint64_t wide_blocks() const {
    return std::min<std::uint64_t>(kWideBlocks, steps_.size() - 1);
  }

  std::uint64_t staged(const Chunk& chunk, const ChannelRange& range) const {
    const Block out = write_block(layer_.out, chunk, range, context_);
    return input_.staging_need(chunk, planes_of(layer_.a, range, context_)) +
           memory_.staging_need(layer_.out.sheet, out) + steps_.staged(chunk, range) +
           wide_blocks() * wide_rows(chunk);
  }

  void run_block(const Chunk& chunk, const ChannelRange& range) {
    memory_.rows().begin_use(staged(chunk, range));
    const ChunkInput::Rows a = input_.read(chunk, planes_of(layer_.a, range, context_));
    steps_.read(chunk, range);
    const Placement out = write_place(layer_.out, chunk, range, context_);
    wide_.clear();
    for (std::uint64_t i = 0; i < wide_blocks(); ++i) {
      wide_.push_back(memory_.rows().stage(wide_rows(chunk)));
    }
    for (const LaneTile& tile : tiles_) {
      if (tile.first < range.first || tile.first >= range.last) continue;
      run_tile(chunk, tile, a, out);
    }
    memory_.wrote(layer_.out.sheet, write_block(layer_.out, chunk, range, context_), out);
  }

  void run_tile(const Chunk& chunk, const LaneTile& tile, const ChunkInput::Rows& a,
                const Placement& out) {
    VectorSource source = narrow_source(layer_.a, chunk, tile, a, context_);
    source.quantization = layer_.a_quantization;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      const std::uint32_t to = wide_[i % wide_.size()];
      Vector vector = to_wide(source, to, chunk.rows(), tile, context_.config);
      steps_.apply(i, tile, vector);
      emit(std::move(vector), context_);
      source = wide_source(to, chunk.rows(), context_.config);
    }
    Vector vector = to_narrow(source, layer_.out, out, chunk, tile, context_);
    vector.domain = layer_.domain;
    vector.quantization = layer_.quantization;
    steps_.apply(steps_.size() - 1, tile, vector);
    emit(std::move(vector), context_);
  }

  const ElementwiseLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  std::vector<LaneTile> tiles_;
  ChunkInput input_;
  LaneSteps steps_;
  std::vector<std::uint32_t> wide_;  // of the chunk
};

}  // namespace

void lower(const ElementwiseLayer& layer, LoweringContext& context) {
  Elementwise(layer, context).run();
}

void lower(const ConcatLayer& layer, LoweringContext& context) {
  for (const ElementwiseLayer& part : layer.parts) Elementwise(part, context).run();
}

}  // namespace weft::network
