// Layers that work on each row by itself: element-wise passes, copies, softmax, normalisation.
//
//   softmax, for each tile t of C lanes     m = max over t of max(x_t)
//                                           e_t = exp(x_t - m);  s = sum over t of sum(e_t)
//                                           out_t = e_t / s      (logarithm: (x_t - m) - log s)
//   normalisation                           u = sum(x) / n;  d_t = x_t - u
//                                           v = sum(d*d) / n;  out_t = d_t / sqrt(v + eps) * g + b
//
// m, s, u and v are wide rows with the same number in every lane.
#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/network/vector_rows.h"
#include "compiler/network/weights.h"

namespace weft::network {
namespace {

/// A row's worth of one number, [1, C].
std::uint32_t load_number(float number, LoweringContext& context) {
  const std::int64_t cols = context.config.array_cols;
  return context.memory.load_wide_constant(
      cols, [number, cols] { return pack_words(graph::Tensor::scalar(number), cols); },
      ElementType::kFloat32);
}

/// One word for each channel.
std::uint32_t load_channels(const MakeTensor& make, std::int64_t channels,
                            LoweringContext& context) {
  return context.memory.load_wide_constant(
      channels, [make, channels] { return pack_words(make(), channels); }, ElementType::kFloat32);
}

class Elementwise {
 public:
  Elementwise(const ElementwiseLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)) {
    if (const auto* make = std::get_if<MakeTensor>(&layer.b)) {
      constant_ = load_channels(*make, layer.channels, context);
    }
  }

  void run() {
    const std::vector<Chunk> chunks =
        staged_chunks(layer_.walk, context_, [this](const Chunk& chunk) { return staged(chunk); });
    context_.info.chunks += chunks.size();
    context_.info.n_tiles = std::max<std::uint64_t>(context_.info.n_tiles, tiles_.size());
    for (const Chunk& chunk : chunks) run_chunk(chunk);
  }

 private:
  const View* b_view() const { return std::get_if<View>(&layer_.b); }

  Block a_block(const Chunk& chunk) const {
    return read_block(layer_.a, layer_.walk, chunk, layer_.channels, context_);
  }
  Block out_block(const Chunk& chunk) const {
    return write_block(layer_.out, chunk, layer_.channels, context_);
  }
  /// The row of b that goes with the chunk's first row.
  std::int64_t b_row(const Chunk& chunk) const {
    const std::int64_t row =
        layer_.b_period == 0 ? chunk.first_row : chunk.first_row % layer_.b_period;
    return std::get<View>(layer_.b).row + row * layer_.b_step;
  }
  Block b_block(const Chunk& chunk) const {
    const View& view = *b_view();
    const std::int64_t width = context_.config.array_rows;
    const std::int64_t first = b_row(chunk);
    return {view.channel / width, (view.channel + layer_.channels + width - 1) / width, first,
            first + (chunk.rows() - 1) * layer_.b_step + 1};
  }

  std::uint64_t staged(const Chunk& chunk) const {
    return memory_.staging_need(layer_.a.sheet, a_block(chunk)) +
           memory_.staging_need(layer_.out.sheet, out_block(chunk)) +
           (b_view() != nullptr ? memory_.staging_need(b_view()->sheet, b_block(chunk)) : 0);
  }

  void run_chunk(const Chunk& chunk) {
    memory_.rows().begin_use(staged(chunk));
    const Placement a = memory_.read(layer_.a.sheet, a_block(chunk));
    Placement b;
    if (b_view() != nullptr) b = memory_.read(b_view()->sheet, b_block(chunk));
    const Placement out = memory_.write(layer_.out.sheet, out_block(chunk));
    for (const LaneTile& tile : tiles_) {
      Vector vector = to_narrow(narrow_source(layer_.a, layer_.walk, chunk, tile, a, context_),
                                layer_.out, out, chunk, tile, context_);
      vector.source->quantization = layer_.a_quantization;
      vector.op = layer_.op;
      vector.low = layer_.low;
      vector.high = layer_.high;
      vector.domain = layer_.domain;
      vector.quantization = layer_.quantization;
      vector.combine = layer_.combine;
      vector.operand = operand(chunk, tile, b);
      emit(std::move(vector), context_);
    }
    memory_.wrote(layer_.out.sheet, out_block(chunk), out);
  }

  std::optional<VectorOperand> operand(const Chunk& chunk, const LaneTile& tile,
                                       const Placement& b) const {
    if (layer_.combine == VectorCombine::kNone) return std::nullopt;
    if (b_view() == nullptr) {
      const auto index = static_cast<std::uint32_t>(tile.first / context_.config.array_cols);
      return constant_operand(constant_ + index * context_.config.result_row_rows());
    }
    const View& view = *b_view();
    const LaneBlock block =
        lane_block(context_, view.sheet, view.channel + tile.first, tile.width, b.plane_step);
    VectorOperand operand;
    operand.row = static_cast<std::uint32_t>(b.at(block.plane, b_row(chunk)));
    operand.step = static_cast<std::uint32_t>(layer_.b_step);
    operand.format = RowFormat::kNarrow;
    operand.window = block.window;
    operand.quantization = layer_.b_quantization;
    return operand;
  }

  const ElementwiseLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  std::vector<LaneTile> tiles_;
  std::uint32_t constant_ = 0;
};

/// What softmax and normalisation share: wide rows for each tile, and statistics of each row.
class RowStatistics {
 public:
  RowStatistics(const View& a, const RowWalk& walk, std::int64_t channels, const View& out,
                std::uint64_t tile_buffers, std::uint64_t statistics, LoweringContext& lowering)
      : context(lowering),
        tiles(lane_tiles(channels, lowering.config)),
        a_(a),
        walk_(walk),
        channels_(channels),
        out_(out),
        tile_buffers_(tile_buffers),
        statistics_(statistics) {}

  template <class Function>
  void for_each_chunk(Function&& function) {
    const std::vector<Chunk> chunks =
        staged_chunks(walk_, context, [this](const Chunk& next) { return staged(next); });
    context.info.chunks = chunks.size();
    context.info.n_tiles = tiles.size();
    for (const Chunk& next : chunks) {
      begin(next);
      function();
      context.memory.wrote(out_.sheet, write_block(out_, chunk, channels_, context), out_rows_);
    }
  }

  /// Tile `tile` of buffer `buffer`, and statistic `index`: bases of wide rows.
  std::uint32_t buffer(std::uint64_t buffer, std::size_t tile) const {
    return base_ + static_cast<std::uint32_t>((buffer * tiles.size() + tile) * block_rows());
  }
  std::uint32_t statistic(std::uint64_t index) const {
    return base_ +
           static_cast<std::uint32_t>((tile_buffers_ * tiles.size() + index) * block_rows());
  }

  VectorSource input(std::size_t tile) const {
    return narrow_source(a_, walk_, chunk, tiles[tile], a_rows_, context);
  }
  VectorSource wide(std::uint32_t base) const {
    return wide_source(base, chunk.rows(), context.config);
  }
  VectorOperand operand(std::uint32_t base) const { return wide_operand(base, context.config); }
  Vector to_wide_rows(VectorSource source, std::uint32_t base, std::size_t tile) const {
    return to_wide(source, base, chunk.rows(), tiles[tile], context.config);
  }
  /// Statistics have the same number in all lanes.
  Vector to_statistic(VectorSource source, std::uint64_t index) const {
    return to_wide(source, statistic(index), chunk.rows(),
                   {0, std::int64_t{context.config.array_cols}}, context.config);
  }
  Vector to_out(VectorSource source, std::size_t tile) const {
    return to_narrow(source, out_, out_rows_, chunk, tiles[tile], context);
  }

  /// statistic `index` = reduce over all tiles of what `make(tile)` computes.
  template <class Make>
  void reduce(std::uint64_t index, VectorReduce kind, Make&& make) {
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
      Vector vector = make(tile);
      vector.ub = statistic(index);
      vector.reduce = kind;
      const VectorMode more = kind == VectorReduce::kSum ? VectorMode::kAdd : VectorMode::kMax;
      vector.mode = tile == 0 ? VectorMode::kOverwrite : more;
      emit(std::move(vector), context);
    }
  }

  LoweringContext& context;
  const std::vector<LaneTile> tiles;
  Chunk chunk;

 private:
  std::uint64_t block_rows() const {
    return static_cast<std::uint64_t>(chunk.rows()) * context.config.result_row_rows();
  }
  std::uint64_t wide_rows(const Chunk& of) const {
    return (tile_buffers_ * tiles.size() + statistics_) * static_cast<std::uint64_t>(of.rows()) *
           context.config.result_row_rows();
  }
  std::uint64_t staged(const Chunk& of) const {
    return context.memory.staging_need(a_.sheet, read_block(a_, walk_, of, channels_, context)) +
           context.memory.staging_need(out_.sheet, write_block(out_, of, channels_, context)) +
           wide_rows(of);
  }

  void begin(const Chunk& next) {
    chunk = next;
    context.memory.rows().begin_use(staged(chunk));
    a_rows_ = context.memory.read(a_.sheet, read_block(a_, walk_, chunk, channels_, context));
    out_rows_ = context.memory.write(out_.sheet, write_block(out_, chunk, channels_, context));
    base_ = context.memory.rows().stage(wide_rows(chunk));
  }

  const View& a_;
  const RowWalk& walk_;
  const std::int64_t channels_;
  const View& out_;
  const std::uint64_t tile_buffers_;
  const std::uint64_t statistics_;
  Placement a_rows_;
  Placement out_rows_;
  std::uint32_t base_ = 0;
};

}  // namespace

void lower(const ElementwiseLayer& layer, LoweringContext& context) {
  Elementwise(layer, context).run();
}

void lower(const ConcatLayer& layer, LoweringContext& context) {
  for (const ElementwiseLayer& part : layer.parts) Elementwise(part, context).run();
}

void lower(const SoftmaxLayer& layer, LoweringContext& context) {
  RowStatistics rows(layer.a, layer.walk, layer.channels, layer.out, 1, 3, context);
  const auto shifted = [&](std::size_t tile, Vector vector) {
    vector.combine = VectorCombine::kSub;
    vector.operand = rows.operand(rows.statistic(0));
    vector.source = rows.input(tile);
    return vector;
  };
  rows.for_each_chunk([&] {
    rows.reduce(0, VectorReduce::kMax,
                [&](std::size_t tile) { return rows.to_wide_rows(rows.input(tile), 0, tile); });
    for (std::size_t tile = 0; tile < rows.tiles.size(); ++tile) {
      Vector vector =
          shifted(tile, rows.to_wide_rows(rows.input(tile), rows.buffer(0, tile), tile));
      vector.op = VectorOp::kExp;
      emit(std::move(vector), context);
    }
    rows.reduce(1, VectorReduce::kSum, [&](std::size_t tile) {
      return rows.to_wide_rows(rows.wide(rows.buffer(0, tile)), 0, tile);
    });
    if (layer.logarithm) {
      Vector log = rows.to_statistic(rows.wide(rows.statistic(1)), 2);
      log.op = VectorOp::kLog;
      emit(std::move(log), context);
      for (std::size_t tile = 0; tile < rows.tiles.size(); ++tile) {
        emit(shifted(tile, rows.to_wide_rows(rows.input(tile), rows.buffer(0, tile), tile)),
             context);
      }
    }
    for (std::size_t tile = 0; tile < rows.tiles.size(); ++tile) {
      Vector vector = rows.to_out(rows.wide(rows.buffer(0, tile)), tile);
      vector.combine = layer.logarithm ? VectorCombine::kSub : VectorCombine::kDiv;
      vector.operand = rows.operand(rows.statistic(layer.logarithm ? 2 : 1));
      emit(std::move(vector), context);
    }
  });
}

namespace {

/// The passes of a normalisation, in the order of the comment at the top.
class Normalization {
 public:
  Normalization(const NormalizationLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        rows_(layer.a, layer.walk, layer.channels, layer.out, 2, 2, context),
        count_(load_number(static_cast<float>(layer.channels), context)),
        epsilon_(load_number(layer.epsilon, context)) {
    if (layer.scale) scale_ = load_channels(layer.scale, layer.channels, context);
    if (layer.bias) bias_ = load_channels(layer.bias, layer.channels, context);
  }

  void run() {
    rows_.for_each_chunk([this] {
      mean();
      deviations();
      deviation_of_rows();
      results();
    });
  }

 private:
  void combine(Vector vector, VectorCombine how, VectorOperand with,
               VectorOp op = VectorOp::kCopy) {
    vector.combine = how;
    vector.operand = with;
    vector.op = op;
    emit(std::move(vector), context_);
  }

  // statistic 1 = mean
  void mean() {
    rows_.reduce(0, VectorReduce::kSum, [this](std::size_t tile) {
      return rows_.to_wide_rows(rows_.input(tile), 0, tile);
    });
    combine(rows_.to_statistic(rows_.wide(rows_.statistic(0)), 1), VectorCombine::kDiv,
            constant_operand(count_));
  }

  // buffer 0 = x - mean
  void deviations() {
    for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) {
      combine(rows_.to_wide_rows(rows_.input(tile), rows_.buffer(0, tile), tile),
              VectorCombine::kSub, rows_.operand(rows_.statistic(1)));
    }
  }

  // statistic 0 = sqrt(variance + epsilon), by way of 1
  void deviation_of_rows() {
    rows_.reduce(0, VectorReduce::kSum, [this](std::size_t tile) {
      Vector vector = rows_.to_wide_rows(rows_.wide(rows_.buffer(0, tile)), 0, tile);
      vector.combine = VectorCombine::kMul;
      vector.operand = rows_.operand(rows_.buffer(0, tile));
      return vector;
    });
    combine(rows_.to_statistic(rows_.wide(rows_.statistic(0)), 1), VectorCombine::kDiv,
            constant_operand(count_));
    combine(rows_.to_statistic(rows_.wide(rows_.statistic(1)), 0), VectorCombine::kAdd,
            constant_operand(epsilon_), VectorOp::kSqrt);
  }

  // Between the two buffers, the last step into the result.
  void results() {
    struct Step {
      VectorCombine combine;
      std::optional<std::uint32_t> constant;
    };
    std::vector<Step> steps = {{VectorCombine::kDiv, std::nullopt}};
    if (scale_) steps.push_back({VectorCombine::kMul, scale_});
    if (bias_) steps.push_back({VectorCombine::kAdd, bias_});
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) {
        const VectorSource source = rows_.wide(rows_.buffer(i % 2, tile));
        const bool last = i + 1 == steps.size();
        const VectorOperand operand = steps[i].constant ? channel_operand(*steps[i].constant, tile)
                                                        : rows_.operand(rows_.statistic(0));
        combine(last ? rows_.to_out(source, tile)
                     : rows_.to_wide_rows(source, rows_.buffer((i + 1) % 2, tile), tile),
                steps[i].combine, operand);
      }
    }
  }

  VectorOperand channel_operand(std::uint32_t base, std::size_t tile) const {
    return constant_operand(base +
                            static_cast<std::uint32_t>(tile) * context_.config.result_row_rows());
  }

  const NormalizationLayer& layer_;
  LoweringContext& context_;
  RowStatistics rows_;
  std::uint32_t count_;
  std::uint32_t epsilon_;
  std::optional<std::uint32_t> scale_;
  std::optional<std::uint32_t> bias_;
};

}  // namespace

void lower(const NormalizationLayer& layer, LoweringContext& context) {
  Normalization(layer, context).run();
}

}  // namespace weft::network
