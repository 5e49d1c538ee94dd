// Sum, mean, maximum and minimum of all channels of a row. Each tile of C lanes is reduced and
// combined with the tiles before it in one wide row (32-bit words); its first lane is the result.
// The minimum is the negated maximum of the negated lanes.
#include <optional>
#include <utility>

#include "compiler/blocks/staging.h"
#include "compiler/emit/vector/lane_steps.h"

namespace weft::compiler {
namespace {

// The result has one channel.
constexpr ChannelRange kResult{0, 1};

class ReductionLowering {
 public:
  ReductionLowering(const ReductionLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)),
        input_(context.memory, layer.a.sheet, layer.a.row, layer.walk) {
    if (layer.kind == ReductionKind::kMean) count_ = load_floats(count_of(layer), 1, context);
  }

  void run() {
    const Chunks chunks(layer_.walk, context_.mappings.front().chunk_rows);
    context_.info.chunks += static_cast<std::uint64_t>(chunks.size());
    context_.info.n_tiles = tiles_.size();
    for (std::int64_t i = 0; i < chunks.size(); ++i) run_chunk(chunks[i]);
  }

 private:
  static MakeTensor count_of(const ReductionLayer& layer) {
    return
        [channels = layer.channels] { return graph::Tensor::scalar(static_cast<float>(channels)); };
  }
  bool takes_sum() const {
    return layer_.kind == ReductionKind::kSum || layer_.kind == ReductionKind::kMean;
  }
  VectorOp sign() const {
    return layer_.kind == ReductionKind::kMin ? VectorOp::kNeg : VectorOp::kCopy;
  }

  Planes a_planes() const { return planes_of(layer_.a, {0, layer_.channels}, context_.places()); }
  Block out_block(const Chunk& chunk) const {
    return write_block(layer_.out, chunk, kResult, context_.places());
  }
  void run_chunk(const Chunk& chunk) {
    memory_.staging().begin_use(
        staged(layer_, chunk, kResult, context_.places(), context_.constants));
    const ChunkInput::ChunkRows a = input_.read(chunk, a_planes());
    const Placement out = write_place(layer_.out, chunk, kResult, context_);
    const std::uint32_t wide = memory_.staging().stage(wide_rows(chunk, context_.config));
    if (count_) count_->begin_use();
    for (std::size_t tile = 0; tile < tiles_.size(); ++tile) reduce(chunk, tile, a, wide);
    finish(chunk, out, wide);
    memory_.wrote(layer_.out.sheet, out_block(chunk), out);
  }

  void reduce(const Chunk& chunk, std::size_t tile, const ChunkInput::ChunkRows& a,
              std::uint32_t wide) {
    VectorSource source = narrow_source(layer_.a, chunk, tiles_[tile], a, context_);
    source.quantization = layer_.a_quantization;
    Vector vector = to_wide(source, wide, chunk.rows(), tiles_[tile], context_.config);
    vector.op = sign();
    vector.reduce = takes_sum() ? VectorReduce::kSum : VectorReduce::kMax;
    const VectorMode more = takes_sum() ? VectorMode::kAdd : VectorMode::kMax;
    vector.mode = tile == 0 ? VectorMode::kOverwrite : more;
    emit(std::move(vector), context_);
  }

  void finish(const Chunk& chunk, const Placement& out, std::uint32_t wide) {
    Vector vector = to_narrow(wide_source(wide, chunk.rows(), context_.config), layer_.out, out,
                              chunk, {0, 1}, context_);
    vector.op = sign();
    vector.quantization = layer_.quantization;
    if (count_) {
      vector.combine = VectorCombine::kDiv;
      vector.operand = constant_operand(count_->rows_of(0));
    }
    emit(std::move(vector), context_);
  }

  const ReductionLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  std::vector<LaneTile> tiles_;
  ChunkInput input_;
  std::optional<LayerConstant> count_;
};

}  // namespace

void lower(const ReductionLayer& layer, LoweringContext& context) {
  ReductionLowering(layer, context).run();
}

}  // namespace weft::compiler
