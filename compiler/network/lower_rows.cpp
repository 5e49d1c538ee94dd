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
LayerConstant load_number(float number, LoweringContext& context) {
  const std::int64_t cols = context.config.array_cols;
  return load_channels(
      cols, [number, cols] { return pack_words(graph::Tensor::scalar(number), cols); },
      ElementType::kFloat32, context);
}

/// One word for each channel.
LayerConstant load_floats(const MakeTensor& make, std::int64_t channels, LoweringContext& context) {
  return load_channels(
      channels, [make, channels] { return pack_words(make(), channels); }, ElementType::kFloat32,
      context);
}

class Elementwise {
 public:
  Elementwise(const ElementwiseLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)),
        input_(context.memory, layer.a.sheet, layer.a.row, layer.walk) {
    if (const auto* make = std::get_if<MakeTensor>(&layer.b)) {
      constant_ = load_floats(*make, layer.channels, context);
    }
  }

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
  const View* b_view() const { return std::get_if<View>(&layer_.b); }

  /// The row of b that goes with the chunk's first row.
  std::int64_t b_row(const Chunk& chunk) const {
    const std::int64_t row =
        layer_.b_period == 0 ? chunk.first_row : chunk.first_row % layer_.b_period;
    return std::get<View>(layer_.b).row + row * layer_.b_step;
  }
  Block b_block(const Chunk& chunk, const ChannelRange& range) const {
    const Planes planes = planes_of(*b_view(), range, context_);
    const std::int64_t first = b_row(chunk);
    return {planes.first, planes.last, first, first + (chunk.rows() - 1) * layer_.b_step + 1};
  }

  std::uint64_t staged(const Chunk& chunk, const ChannelRange& range) const {
    const Block out = write_block(layer_.out, chunk, range, context_);
    return input_.staging_need(chunk, planes_of(layer_.a, range, context_)) +
           memory_.staging_need(layer_.out.sheet, out) +
           (b_view() != nullptr ? memory_.staging_need(b_view()->sheet, b_block(chunk, range))
                                : 0) +
           (constant_ ? constant_->staging_need() : 0);
  }

  void run_block(const Chunk& chunk, const ChannelRange& range) {
    memory_.rows().begin_use(staged(chunk, range));
    const ChunkInput::Rows a = input_.read(chunk, planes_of(layer_.a, range, context_));
    Placement b;
    if (b_view() != nullptr) b = memory_.read(b_view()->sheet, b_block(chunk, range));
    const Placement out = write_place(layer_.out, chunk, range, context_);
    if (constant_) constant_->begin_use();
    for (const LaneTile& tile : tiles_) {
      if (tile.first < range.first || tile.first >= range.last) continue;
      Vector vector = to_narrow(narrow_source(layer_.a, chunk, tile, a, context_), layer_.out, out,
                                chunk, tile, context_);
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
    memory_.wrote(layer_.out.sheet, write_block(layer_.out, chunk, range, context_), out);
  }

  std::optional<VectorOperand> operand(const Chunk& chunk, const LaneTile& tile,
                                       const Placement& b) {
    if (layer_.combine == VectorCombine::kNone) return std::nullopt;
    if (b_view() == nullptr) {
      const auto index = static_cast<std::uint32_t>(tile.first / context_.config.array_cols);
      return constant_operand(constant_->rows_of(index));
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
  ChunkInput input_;
  std::optional<LayerConstant> constant_;
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
        channels_({0, channels}),
        out_(out),
        input_(lowering.memory, a.sheet, a.row, walk),
        tile_buffers_(tile_buffers),
        statistics_(statistics) {}

  /// A constant that the passes read.
  void use(LayerConstant& constant) { constants_.push_back(&constant); }

  template <class Function>
  void for_each_chunk(Function&& function) {
    const std::vector<Chunk> chunks = staged_chunks();
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
    return narrow_source(a_, chunk, tiles[tile], a_rows_, context);
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
    std::uint64_t rows = input_.staging_need(of, planes_of(a_, channels_, context)) + wide_rows(of);
    rows += context.memory.staging_need(out_.sheet, write_block(out_, of, channels_, context));
    for (const LayerConstant* constant : constants_) rows += constant->staging_need();
    return rows;
  }

  /// The statistics are of whole rows.
  std::vector<Chunk> staged_chunks() const {
    const std::int64_t whole = channels_.last;
    return staged_blocks(walk_, std::min<std::int64_t>(whole, context.config.array_cols), context,
                         [this](const Chunk& of, const ChannelRange&) { return staged(of); })
        .chunks;
  }

  void begin(const Chunk& next) {
    chunk = next;
    context.memory.rows().begin_use(staged(chunk));
    a_rows_ = input_.read(chunk, planes_of(a_, channels_, context));
    out_rows_ = write_place(out_, chunk, channels_, context);
    base_ = context.memory.rows().stage(wide_rows(chunk));
    for (LayerConstant* constant : constants_) constant->begin_use();
  }

  const View& a_;
  const RowWalk& walk_;
  const ChannelRange channels_;
  const View& out_;
  const ChunkInput input_;
  const std::uint64_t tile_buffers_;
  const std::uint64_t statistics_;
  std::vector<LayerConstant*> constants_;
  ChunkInput::Rows a_rows_;
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
    if (layer.scale) scale_ = load_floats(layer.scale, layer.channels, context);
    if (layer.bias) bias_ = load_floats(layer.bias, layer.channels, context);
    rows_.use(count_);
    rows_.use(epsilon_);
    if (scale_) rows_.use(*scale_);
    if (bias_) rows_.use(*bias_);
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
            constant_operand(count_.rows_of(0)));
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
            constant_operand(count_.rows_of(0)));
    combine(rows_.to_statistic(rows_.wide(rows_.statistic(1)), 0), VectorCombine::kAdd,
            constant_operand(epsilon_.rows_of(0)), VectorOp::kSqrt);
  }

  // Between the two buffers, the last step into the result.
  void results() {
    struct Step {
      VectorCombine combine;
      LayerConstant* constant = nullptr;
    };
    std::vector<Step> steps = {{VectorCombine::kDiv, nullptr}};
    if (scale_) steps.push_back({VectorCombine::kMul, &*scale_});
    if (bias_) steps.push_back({VectorCombine::kAdd, &*bias_});
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) {
        const VectorSource source = rows_.wide(rows_.buffer(i % 2, tile));
        const bool last = i + 1 == steps.size();
        const VectorOperand operand =
            steps[i].constant != nullptr
                ? constant_operand(steps[i].constant->rows_of(static_cast<std::uint32_t>(tile)))
                : rows_.operand(rows_.statistic(0));
        combine(last ? rows_.to_out(source, tile)
                     : rows_.to_wide_rows(source, rows_.buffer((i + 1) % 2, tile), tile),
                steps[i].combine, operand);
      }
    }
  }

  const NormalizationLayer& layer_;
  LoweringContext& context_;
  RowStatistics rows_;
  LayerConstant count_;
  LayerConstant epsilon_;
  std::optional<LayerConstant> scale_;
  std::optional<LayerConstant> bias_;
};

}  // namespace

void lower(const NormalizationLayer& layer, LoweringContext& context) {
  Normalization(layer, context).run();
}

}  // namespace weft::network
