// Convolutions and matrix products:
//
//   for product in batch { for chunk of rows { for n tile {
//     for piece of the weights { for tap { for plane of K {
//       fetch; matmul                                sums in one accumulator region
//     } } }
//     vector                                         bias, scale, activation -> result rows
//   } } }
//
// If a column tile has only one fold, the chunks may be innermost; each tile is then fetched once.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/contraction_blocks.h"
#include "compiler/emit/chunk_input.h"
#include "compiler/emit/epilogue.h"
#include "compiler/emit/weights.h"
#include "compiler/emit/zero_point_sums.h"

namespace weft::compiler {
namespace {

class ContractionLowering {
 public:
  ContractionLowering(const ContractionLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        array_rows_(context.config.array_rows),
        cols_(context.config.array_cols),
        epilogue_(layer.epilogue, layer.n, context, layer.walk.rows()),
        zero_points_(layer, context),
        blocks_(layer, context.places(), context.constants),
        n_tiles_(blocks_.n_tiles()),
        mapping_(context.mappings.front()),
        chunks_(layer.walk, mapping_.chunk_rows) {}

  void run() {
    refuse_too_long();
    add_weights();
    fill_in_plan();
    for (const BatchOffset& product : layer_.batch) run_product(product);
  }

 private:
  const ConstantWeights* constant() const { return std::get_if<ConstantWeights>(&layer_.weights); }

  /// Refuses before millions of instructions take memory.
  void refuse_too_long() const {
    if (layer_.groups > 1) return;  // most tiles are empty
    const double tiles = static_cast<double>(chunks_.size()) *
                         static_cast<double>(layer_.batch.size()) * static_cast<double>(n_tiles_);
    const auto folds = static_cast<double>(blocks_.folds(layer_.batch.front()));
    const std::size_t most = std::max(kMaxInstructions, context_.stream.most());
    if (tiles * folds < static_cast<double>(most)) return;
    throw InputError(fmt::format(
        "layer {} alone takes more than {} matmul instructions, the most that a {} may have; "
        "choose a smaller input or batch, or a machine with more accumulators or a larger buffer",
        context_.info.name, most == kMaxInstructions ? "2^26" : "2^32 - 1",
        most == kMaxInstructions ? "program" : "run"));
  }

  ChunkInput input(const BatchOffset& product) const {
    return {memory_, layer_.a.sheet, layer_.a.row + product.a_row, layer_.walk};
  }

  WeightKey key_of(const BatchOffset& product) const {
    const auto& weights = std::get<ConstantWeights>(layer_.weights);
    WeightKey key;
    key.constant = weights.constant;
    if (key.constant == graph::kNoValue) key.layer = context_.layer;
    key.form = weights.form;
    key.zero_point = weights.zero_point;
    key.rows = {blocks_.pieces(), layer_.walk.taps(), blocks_.planes(product),
                blocks_.front(product), array_rows_};
    key.k = layer_.k;
    key.n = layer_.n;
    key.groups = layer_.groups;
    key.matrix = product.matrix;
    return key;
  }

  void add_weights() {
    if (constant() == nullptr) return;
    for (const BatchOffset& product : layer_.batch) {
      const WeightKey key = key_of(product);
      add_matrix(key, context_.weights[key]);
    }
  }

  void add_matrix(const WeightKey& key, WeightPlace& place) {
    const auto& weights = std::get<ConstantWeights>(layer_.weights);
    const auto make = [weights, key, dtype = context_.config.dtype] {
      return pack_weights(weights, key.rows, key.k, key.n, key.groups, dtype, key.matrix);
    };
    const std::int64_t k = key.rows.rows();
    if (!place.tile && mapping_.buffered_tiles < kTileShares) {
      place.tile = memory_.add_weights(k, key.n, make, weights.fixed);
    }
    if (!place.host && mapping_.buffered_tiles > 0) {
      place.host = memory_.add_weight_rows(k, key.n, make, weights.fixed);
    }
  }

  void fill_in_plan() {
    context_.info.k_tiles = static_cast<std::uint64_t>(blocks_.folds(layer_.batch.front()));
    context_.info.n_tiles = static_cast<std::uint64_t>(n_tiles_);
    context_.info.chunks += static_cast<std::uint64_t>(chunks_.size()) * layer_.batch.size();
  }

  // --- Operands ---

  /// Where the chunk's operands lie.
  struct ChunkOperands {
    ChunkInput::ChunkRows a;
    std::optional<std::uint32_t> a_base;  // if planes are loaded part by part
    Placement b;
    Placement out;
    std::optional<Placement> residual;
  };

  void begin_tile(std::int64_t k_tile, std::int64_t n_tile) {
    context_.stream.begin_tile({static_cast<std::int32_t>(context_.first_chunk + chunk_),
                                static_cast<std::int32_t>(k_tile),
                                static_cast<std::int32_t>(n_tile)});
  }

  ChunkOperands read_operands(const BatchOffset& product, const Chunk& chunk,
                              const Columns& columns) {
    begin_tile(-1, -1);
    memory_.staging().begin_use(
        blocks_.staged(product, chunk, columns, std::int64_t{mapping_.planes}));
    ChunkOperands operands;
    if (std::int64_t{mapping_.planes} < blocks_.planes(product) &&
        !memory_.places().resident(layer_.a.sheet)) {
      operands.a_base = memory_.staging().stage(
          blocks_.input_need(product, chunk, std::int64_t{mapping_.planes}));
    } else {
      operands.a = input(product).read(chunk, blocks_.all_planes(product));
    }
    if (const auto* weights = std::get_if<ComputedWeights>(&layer_.weights)) {
      operands.b = memory_.read(weights->view.sheet, blocks_.b_block(product, columns));
    }
    if (layer_.epilogue.residual) {
      operands.residual = memory_.read(layer_.epilogue.residual->sheet,
                                       blocks_.residual_block(product, chunk, columns));
    }
    operands.out = memory_.write_from(layer_.out.sheet, blocks_.out_block(product, chunk, columns),
                                      layer_.out.channel + product.out_channel + columns.first);
    epilogue_.begin_use();
    if (zero_points_.any()) zero_points_.begin_use();
    return operands;
  }

  void run_product(const BatchOffset& product) {
    if (mapping_.order == LoopOrder::kChunkInnermost && blocks_.folds(product) == 1) {
      for (std::int64_t tile = 0; tile < n_tiles_; ++tile) {
        for (chunk_ = 0; chunk_ < chunks_.size(); ++chunk_) {
          const Chunk chunk = chunks_[chunk_];
          ChunkOperands operands = read_operands(product, chunk, blocks_.columns_of(tile, 1));
          run_tile(product, chunk, operands, tile);
        }
      }
      return;
    }
    for (chunk_ = 0; chunk_ < chunks_.size(); ++chunk_) {
      const Chunk chunk = chunks_[chunk_];
      for (std::int64_t tile = 0; tile < n_tiles_; tile += std::int64_t{mapping_.column_tiles}) {
        run_columns(product, chunk, tile);
      }
    }
  }

  void run_columns(const BatchOffset& product, const Chunk& chunk, std::int64_t first_tile) {
    const Columns columns = blocks_.columns_of(first_tile, std::int64_t{mapping_.column_tiles});
    ChunkOperands operands = read_operands(product, chunk, columns);
    for (std::int64_t tile = first_tile; tile * cols_ < columns.last; ++tile) {
      run_tile(product, chunk, operands, tile);
    }
    begin_tile(-1, -1);
    memory_.wrote(layer_.out.sheet, blocks_.out_block(product, chunk, columns), operands.out);
  }

  void run_tile(const BatchOffset& product, const Chunk& chunk, ChunkOperands& operands,
                std::int64_t tile) {
    const std::uint32_t acc = next_region();
    const std::int64_t count = blocks_.planes(product);
    const std::int64_t at_once = operands.a_base ? std::int64_t{mapping_.planes} : count;
    bool first = true;
    for (std::int64_t plane = 0; plane < count; plane += at_once) {
      const Planes part{plane, std::min(plane + at_once, count)};
      if (!blocks_.has_weights(product, part, tile)) continue;
      if (operands.a_base) {
        begin_tile(-1, tile);
        const std::int64_t before = blocks_.first_plane(product);
        operands.a = input(product).read_to(*operands.a_base, chunk,
                                            {before + part.first, before + part.last});
      }
      run_planes(product, chunk, operands, tile, part, acc, first);
    }
    begin_tile(-1, tile);
    const std::int64_t most = layer_.epilogue.bias_by_row ? kMostBiasRows : chunk.rows();
    for (std::int64_t row = 0; row < chunk.rows(); row += most) {
      drain(product, chunk, {row, std::min(row + most, chunk.rows())}, operands, tile, acc);
    }
    const LineBorder& border = layer_.border;
    const std::int64_t lane = tile * cols_;
    const std::int64_t end = lane + border.lanes;
    pad_line(chunk, 0, {lane, lane + border.first}, operands);
    pad_line(chunk, layer_.walk.y.output - 1, {end - border.last, end}, operands);
  }

  /// `first`: the accumulators hold no sums yet.
  void run_planes(const BatchOffset& product, const Chunk& chunk, const ChunkOperands& operands,
                  std::int64_t tile, const Planes& part, std::uint32_t acc, bool& first) {
    const std::int64_t taps = layer_.walk.taps();
    for (std::int64_t i = 0; i < blocks_.pieces() * taps; ++i) {
      for (std::int64_t plane = part.first; plane < part.last; ++plane) {
        if (!blocks_.has_weights(product, plane, tile)) continue;
        const std::int64_t fold = i * blocks_.planes(product) + plane;
        begin_tile(fold, tile);
        fetch(product, operands, fold, tile);
        matmul(product, chunk, operands, i % taps, plane, acc, !first);
        if (zero_points_.any()) zero_points_.add(tile, !first);
        first = false;
      }
    }
  }

  std::uint32_t next_region() {
    const std::uint64_t region = context_.accumulator_use++ % mapping_.accumulator_regions;
    return static_cast<std::uint32_t>(region) * mapping_.chunk_rows;
  }

  void fetch(const BatchOffset& product, const ChunkOperands& operands, std::int64_t fold,
             std::int64_t tile) {
    if (constant() != nullptr) {
      const WeightPlace& place = context_.weights.at(key_of(product));
      const auto index = static_cast<std::uint64_t>(tile * blocks_.folds(product) + fold);
      const bool any_buffered = mapping_.buffered_tiles > 0;
      const std::uint64_t number = (any_buffered ? *place.host : *place.tile) + index;
      keep_ = have_tile_ && number == last_tile_;
      have_tile_ = true;
      last_tile_ = number;
      if (keep_) return;
      if (is_buffered(index)) {
        fetch_from_buffer(product, *place.host, number, fold, tile);
      } else {
        context_.stream.emit(Fetch{*place.tile + index, {}});
      }
    } else {
      context_.stream.emit(Fetch{0, buffer_tile(product, operands, fold, tile)});
    }
  }

  /// Spreads the tiles that come through the unified buffer evenly over all of them.
  bool is_buffered(std::uint64_t index) const {
    const std::uint64_t share = mapping_.buffered_tiles;
    return (index + 1) * share / kTileShares > index * share / kTileShares;
  }

  /// `host`: the first row of the tile's matrix in host memory; `number`: of the tile, one that no
  /// other tile with rows there has.
  void fetch_from_buffer(const BatchOffset& product, std::uint64_t host, std::uint64_t number,
                         std::int64_t fold, std::int64_t tile) {
    const KLayout rows = key_of(product).rows;
    const std::int64_t first_column = tile * cols_;
    const std::int64_t lanes = std::min(cols_, layer_.n - first_column);
    const std::int64_t first_plane = first_column / array_rows_;
    const std::int64_t last_plane = (first_column + lanes - 1) / array_rows_;
    // The rows after the last channel are zero.
    const std::int64_t channels = rows.front + layer_.k - fold % rows.planes * array_rows_;
    const auto count = static_cast<std::uint32_t>(std::min(channels, array_rows_));
    const TileRing::Slot slot = memory_.tile_ring().slot_of(number);
    for (std::int64_t plane = first_plane; plane <= last_plane && !slot.holds_tile; ++plane) {
      const auto row = static_cast<std::uint64_t>(plane * rows.rows() + fold * array_rows_);
      const auto base = static_cast<std::uint32_t>((plane - first_plane) * array_rows_);
      memory_.load_rows(host + row, slot.row + base, count);
    }
    BufferTile block;
    block.row = slot.row;
    block.rows = count;
    block.lanes = static_cast<std::uint32_t>(lanes);
    block.window = {static_cast<std::uint32_t>(first_column % array_rows_),
                    static_cast<std::uint32_t>(array_rows_)};
    context_.stream.emit(Fetch{0, block});
  }

  BufferTile buffer_tile(const BatchOffset& product, const ChunkOperands& operands,
                         std::int64_t plane, std::int64_t tile) const {
    const auto& weights = std::get<ComputedWeights>(layer_.weights);
    const std::int64_t lead = plane == 0 ? blocks_.front(product) : 0;
    const std::int64_t k_first = plane * array_rows_ + lead - blocks_.front(product);
    const std::int64_t k_count = std::min(layer_.k - k_first, array_rows_ - lead);
    const std::int64_t n_first = tile * cols_;
    const std::int64_t n_count = std::min(layer_.n - n_first, cols_);
    const std::int64_t row =
        weights.view.row + product.b_row + (weights.transpose ? n_first : k_first);
    const std::int64_t channel =
        weights.view.channel + product.b_channel + (weights.transpose ? k_first : n_first);
    BufferTile block;
    block.row = static_cast<std::uint32_t>(operands.b.at(channel / array_rows_, row));
    block.rows = static_cast<std::uint32_t>(weights.transpose ? n_count : k_count);
    block.lanes = static_cast<std::uint32_t>(weights.transpose ? k_count : n_count);
    block.window = {static_cast<std::uint32_t>(channel % array_rows_),
                    static_cast<std::uint32_t>(operands.b.plane_step)};
    block.transpose = weights.transpose;
    block.at = static_cast<std::uint32_t>(lead);
    return block;
  }

  void matmul(const BatchOffset& product, const Chunk& chunk, const ChunkOperands& operands,
              std::int64_t tap, std::int64_t plane, std::uint32_t acc, bool accumulate) {
    const std::int64_t row0 =
        operands.a.at.at(blocks_.first_plane(product) + plane, layer_.a.row + product.a_row);
    const std::int64_t kernel = layer_.walk.x.kernel;
    Matmul matmul;
    matmul.ub = tap_rows(operands.a.walk, chunk, tap / kernel, tap % kernel, row0, layer_.pad);
    matmul.rows = static_cast<std::uint32_t>(chunk.rows());
    matmul.acc = acc;
    matmul.accumulate = accumulate;
    matmul.next_weights = constant() == nullptr || !keep_;
    context_.stream.emit(matmul);
    context_.info.issued_macs += static_cast<std::uint64_t>(chunk.rows() * array_rows_ * cols_);
  }

  /// `rows`: of the chunk.
  void drain(const BatchOffset& product, const Chunk& chunk, const PositionRange& rows,
             const ChunkOperands& operands, std::int64_t tile, std::uint32_t acc) {
    const std::int64_t before = chunk.first_row + rows.first;
    const std::int64_t first = tile * cols_;
    EpilogueRows::Target target{.sheet = layer_.out.sheet, .out = operands.out};
    target.row = layer_.out.row + product.out_row + before;
    target.channel = layer_.out.channel + product.out_channel + first;
    target.first = first;
    target.matrix = product.matrix;
    target.width = std::min(cols_, layer_.n - first);
    target.rows = rows.last - rows.first;
    target.bias_row = before;
    target.residual = operands.residual;
    if (target.residual) {
      target.residual_row = layer_.epilogue.residual->row + product.out_row + before;
    }
    Vector vector = epilogue_.instruction(target);
    vector.acc = acc + static_cast<std::uint32_t>(rows.first);
    if (zero_points_.any()) {
      vector.has_bias = true;
      vector.bias = zero_points_.negate(tile);
    }
    emit(std::move(vector), context_);
  }

  /// Writes padding into channels of one line of each image, where the chunk has it.
  void pad_line(const Chunk& chunk, std::int64_t line, const Columns& channels,
                const ChunkOperands& operands) {
    const std::int64_t width = channels.last - channels.first;
    if (width == 0 || line < chunk.y || line >= chunk.y + chunk.ys) return;
    EpilogueRows::Target target{.sheet = layer_.out.sheet, .out = operands.out};
    target.channel = layer_.out.channel + channels.first;
    target.width = width;
    target.rows = chunk.xs;
    for (std::int64_t image = 0; image < chunk.images; ++image) {
      const std::int64_t before = (image * chunk.ys + line - chunk.y) * chunk.xs;
      target.row = layer_.out.row + chunk.first_row + before;
      Vector vector = epilogue_.result_rows(target);
      vector.source = {.rows = padding_rows(chunk.xs, layer_.border.pad),
                       .window = {.plane = vector.window.plane}};
      emit(std::move(vector), context_);
    }
  }

  const ContractionLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  const std::int64_t array_rows_;
  const std::int64_t cols_;
  EpilogueRows epilogue_;
  ZeroPointSums zero_points_;
  const ContractionBlocks blocks_;
  const std::int64_t n_tiles_;
  const Mapping& mapping_;
  const Chunks chunks_;
  std::int64_t chunk_ = 0;  // index
  bool have_tile_ = false;
  bool keep_ = false;
  std::uint64_t last_tile_ = 0;
};

}  // namespace

void lower(const ContractionLayer& layer, LoweringContext& context) {
  ContractionLowering(layer, context).run();
}

}  // namespace weft::compiler
