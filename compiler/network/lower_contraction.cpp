// Convolutions and matrix products:
//
//   for product in batch { for chunk of rows { for n tile {
//     for tap { for plane of K { fetch; matmul } }   sums in one accumulator region
//     vector                                         bias, scale, activation -> result rows
//   } } }
//
// Products of two computed int8 matrices, of which the first has a zero point z, stream one more
// row of padding, z in all elements, through each tile: its sums, negated, are the bias of the
// drain.
//
// Products that fit one tile keep their weights and walk the chunks innermost.
#include <algorithm>
#include <limits>

#include "compiler/network/chunks.h"
#include "compiler/network/epilogue.h"
#include "compiler/network/weights.h"
#include "sim/config/error.h"

namespace weft::network {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

class Contraction {
 public:
  Contraction(const ContractionLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        array_rows_(context.config.array_rows),
        cols_(context.config.array_cols),
        n_tiles_(ceil_div(layer.n, cols_)),
        epilogue_(layer.epilogue, layer.n, context) {}

  void run() {
    limit_ = chunk_limit();
    chunks_ = cut(layer_.walk, limit_);
    add_weights();
    fill_in_plan();
    for (const BatchOffset& product : layer_.batch) run_product(product);
  }

 private:
  // --- The plan ---

  const ConstantWeights* constant() const { return std::get_if<ConstantWeights>(&layer_.weights); }

  /// Planes of `a` that a product reads, and lanes before its first channel in the first of them.
  std::int64_t first_plane(const BatchOffset& product) const {
    return (layer_.a.channel + product.a_channel) / array_rows_;
  }
  std::int64_t front(const BatchOffset& product) const {
    return (layer_.a.channel + product.a_channel) % array_rows_;
  }
  std::int64_t planes(const BatchOffset& product) const {
    return ceil_div(front(product) + layer_.k, array_rows_);
  }

  KLayout k_layout() const {
    const BatchOffset& product = layer_.batch.front();
    return {layer_.walk.taps(), planes(product), front(product), array_rows_};
  }

  void add_weights() {
    if (constant() == nullptr) return;
    const KLayout layout = k_layout();
    tile_base_ = memory_.add_weights(layout.rows(), layer_.n,
                                     [weights = *constant(), layout, k = layer_.k, n = layer_.n,
                                      groups = layer_.groups, dtype = context_.config.dtype] {
                                       return pack_weights(weights, layout, k, n, groups, dtype);
                                     });
  }

  void fill_in_plan() {
    context_.info.k_tiles = static_cast<std::uint64_t>(folds());
    context_.info.n_tiles = static_cast<std::uint64_t>(n_tiles_);
    context_.info.chunks = chunks_.size() * layer_.batch.size();
  }

  std::int64_t folds() const { return layer_.walk.taps() * planes(layer_.batch.front()); }

  /// Cycles that chunks of at most `limit` rows take the array, roughly: what a fold costs is its
  /// rows, the R pushes or the fetch, whichever is longest; with one accumulator region the vector
  /// unit's drain stands between uses.
  double cost(std::int64_t limit) const {
    const auto chunks = static_cast<double>(cut(layer_.walk, limit).size());
    const double rows = static_cast<double>(layer_.walk.rows()) / chunks;
    const double uses = chunks * static_cast<double>(n_tiles_);
    const double fold = std::max({rows, static_cast<double>(array_rows_), fetch_cycles()});
    const bool waits = 2 * limit > sum_rows() && uses > 1;
    const double drain = rows + static_cast<double>(array_rows_ + cols_);
    return uses * (static_cast<double>(folds()) * fold + (waits ? drain : 0));
  }

  std::int32_t zero_point() const {
    const auto* weights = std::get_if<ComputedWeights>(&layer_.weights);
    return weights == nullptr ? 0 : weights->a_zero;
  }
  /// Accumulator rows for the sums; those behind them take the sums of zero points.
  std::int64_t sum_rows() const {
    const std::int64_t rows = context_.config.accumulator_rows;
    return zero_point() == 0 ? rows : rows - kCorrectionRows;
  }

  double fetch_cycles() const {
    const MachineConfig& config = context_.config;
    if (config.memory_kind == MemoryKind::kIdeal || constant() == nullptr) return 0;
    return static_cast<double>(config.tile_bytes()) * static_cast<double>(config.clock_hz) /
           static_cast<double>(config.memory_bytes_per_s);
  }

  /// The largest chunk worth having whose staged rows fit.
  std::int64_t chunk_limit() const {
    const auto most = std::min<std::int64_t>(sum_rows(), layer_.walk.rows());
    std::int64_t best = 0;
    double best_cost = 0;
    for (std::int64_t parts = 1; parts <= 64 && parts <= most; ++parts) {
      const std::int64_t limit = most / parts;
      if (!fits(limit)) continue;
      const double cycles = cost(limit);
      if (best == 0 || cycles < best_cost * 0.999) {
        best = limit;
        best_cost = cycles;
      }
    }
    if (best == 0) best = small_limit(most / 64);
    return best;
  }

  /// Below the limits tried one by one: halves, down to one row.
  std::int64_t small_limit(std::int64_t limit) const {
    for (; limit > 0; limit /= 2) {
      if (fits(limit)) return limit;
    }
    memory_.require_resident(layer_.a.sheet, context_.info.name);
    memory_.require_resident(layer_.out.sheet, context_.info.name);
    throw ConfigError("unified_buffer.kib: too small for layer " + context_.info.name);
  }

  bool fits(std::int64_t limit) const {
    for (const Chunk& chunk : cut(layer_.walk, limit)) {
      for (const BatchOffset& product : layer_.batch) {
        if (staged(product, chunk) > memory_.rows().staging_rows()) return false;
      }
    }
    return true;
  }

  // --- Blocks ---

  Block a_block(const BatchOffset& product, const Chunk& chunk) const {
    const RowRange range = input_rows(layer_.walk, chunk);
    const std::int64_t row = layer_.a.row + product.a_row;
    const std::int64_t plane = first_plane(product);
    return {plane, plane + planes(product), row + range.first, row + range.last};
  }

  Block out_block(const BatchOffset& product, const Chunk& chunk) const {
    const std::int64_t row = layer_.out.row + product.out_row + chunk.first_row;
    const std::int64_t channel = layer_.out.channel + product.out_channel;
    const std::int64_t width = memory_.plane_width(layer_.out.sheet);
    return {channel / width, ceil_div(channel + layer_.n, width), row, row + chunk.rows()};
  }

  Block residual_block(const BatchOffset& product, const Chunk& chunk) const {
    const View& view = *layer_.epilogue.residual;
    const std::int64_t row = view.row + product.out_row + chunk.first_row;
    return {view.channel / array_rows_, ceil_div(view.channel + layer_.n, array_rows_), row,
            row + chunk.rows()};
  }

  Block b_block(const BatchOffset& product) const {
    const ComputedWeights& weights = std::get<ComputedWeights>(layer_.weights);
    const std::int64_t row = weights.view.row + product.b_row;
    const std::int64_t channel = weights.view.channel + product.b_channel;
    const std::int64_t rows = weights.transpose ? layer_.n : layer_.k;
    const std::int64_t channels = weights.transpose ? layer_.k : layer_.n;
    return {channel / array_rows_, ceil_div(channel + channels, array_rows_), row, row + rows};
  }

  std::uint64_t staged(const BatchOffset& product, const Chunk& chunk) const {
    std::uint64_t rows = memory_.staging_need(layer_.a.sheet, a_block(product, chunk)) +
                         memory_.staging_need(layer_.out.sheet, out_block(product, chunk));
    if (layer_.epilogue.residual) {
      rows += memory_.staging_need(layer_.epilogue.residual->sheet, residual_block(product, chunk));
    }
    if (constant() == nullptr) {
      const auto& weights = std::get<ComputedWeights>(layer_.weights);
      rows += memory_.staging_need(weights.view.sheet, b_block(product));
    }
    if (zero_point() != 0) rows += correction_rows();
    return rows;
  }

  // --- Instructions ---

  /// The chunk's operands where they lie.
  struct Operands {
    Placement a;
    Placement b;
    Placement out;
    std::optional<Placement> residual;
    std::uint32_t corrections = 0;  // wide rows
  };

  Operands read_operands(const BatchOffset& product, const Chunk& chunk) {
    memory_.rows().begin_use(staged(product, chunk));
    Operands operands;
    operands.a = memory_.read(layer_.a.sheet, a_block(product, chunk));
    if (const auto* weights = std::get_if<ComputedWeights>(&layer_.weights)) {
      operands.b = memory_.read(weights->view.sheet, b_block(product));
    }
    if (layer_.epilogue.residual) {
      operands.residual =
          memory_.read(layer_.epilogue.residual->sheet, residual_block(product, chunk));
    }
    operands.out = memory_.write(layer_.out.sheet, out_block(product, chunk));
    if (zero_point() != 0) {
      operands.corrections = memory_.rows().stage(correction_rows());
    }
    return operands;
  }

  void run_product(const BatchOffset& product) {
    // Only where one tile serves several chunks without being fetched anew.
    if (folds() == 1 && chunks_.size() > 1 && memory_.resident(layer_.a.sheet) &&
        memory_.resident(layer_.out.sheet)) {
      for (std::int64_t tile = 0; tile < n_tiles_; ++tile) {
        for (const Chunk& chunk : chunks_) {
          run_tile(product, chunk, read_operands(product, chunk), tile);
        }
      }
      return;
    }
    for (const Chunk& chunk : chunks_) {
      const Operands operands = read_operands(product, chunk);
      for (std::int64_t tile = 0; tile < n_tiles_; ++tile) {
        run_tile(product, chunk, operands, tile);
      }
      memory_.wrote(layer_.out.sheet, out_block(product, chunk), operands.out);
    }
  }

  void run_tile(const BatchOffset& product, const Chunk& chunk, const Operands& operands,
                std::int64_t tile) {
    const std::uint32_t acc = next_region();
    const std::int64_t taps = layer_.walk.taps();
    bool first = true;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      for (std::int64_t plane = 0; plane < planes(product); ++plane) {
        if (!has_weights(product, plane, tile)) continue;
        fetch(product, operands, tap, plane, tile);
        matmul(product, chunk, operands, tap, plane, acc, !first);
        if (zero_point() != 0) sum_zero_points(tile, !first);
        first = false;
      }
    }
    drain(product, chunk, operands, tile, acc);
  }

  std::uint32_t next_region() {
    const auto rows = static_cast<std::uint32_t>(limit_);
    const std::uint32_t regions = static_cast<std::uint32_t>(sum_rows()) / rows;
    return static_cast<std::uint32_t>(context_.accumulator_use++ % regions) * rows;
  }

  /// Groups leave most tiles empty: those that hold no group's block are never fetched.
  bool has_weights(const BatchOffset& product, std::int64_t plane, std::int64_t tile) const {
    if (layer_.groups == 1) return true;
    const std::int64_t group_k = layer_.k / layer_.groups;
    const std::int64_t group_n = layer_.n / layer_.groups;
    const std::int64_t k_first = std::max<std::int64_t>(0, plane * array_rows_ - front(product));
    const std::int64_t k_last = std::min(layer_.k, (plane + 1) * array_rows_ - front(product)) - 1;
    const std::int64_t n_first = tile * cols_;
    const std::int64_t n_last = std::min(layer_.n, n_first + cols_) - 1;
    return k_first / group_k <= n_last / group_n && n_first / group_n <= k_last / group_k;
  }

  void fetch(const BatchOffset& product, const Operands& operands, std::int64_t tap,
             std::int64_t plane, std::int64_t tile) {
    if (constant() != nullptr) {
      const std::int64_t k_tiles = layer_.walk.taps() * planes(product);
      const auto number =
          tile_base_ + static_cast<std::uint64_t>(tile * k_tiles + tap * planes(product) + plane);
      keep_ = have_tile_ && number == last_tile_;
      have_tile_ = true;
      last_tile_ = number;
      if (keep_) return;
      context_.stream.emit(Fetch{number, {}});
      context_.info.weight_bytes += context_.config.tile_bytes();
    } else {
      context_.stream.emit(Fetch{0, buffer_tile(product, operands, plane, tile)});
    }
    ++context_.info.fetches;
  }

  BufferTile buffer_tile(const BatchOffset& product, const Operands& operands, std::int64_t plane,
                         std::int64_t tile) const {
    const auto& weights = std::get<ComputedWeights>(layer_.weights);
    const std::int64_t lead = plane == 0 ? front(product) : 0;
    const std::int64_t k_first = plane * array_rows_ + lead - front(product);
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

  void matmul(const BatchOffset& product, const Chunk& chunk, const Operands& operands,
              std::int64_t tap, std::int64_t plane, std::uint32_t acc, bool accumulate) {
    const std::int64_t row0 =
        operands.a.at(first_plane(product) + plane, layer_.a.row + product.a_row);
    const std::int64_t kernel = layer_.walk.x.kernel;
    Matmul matmul;
    matmul.ub = tap_rows(layer_.walk, chunk, tap / kernel, tap % kernel, row0, layer_.pad);
    matmul.rows = static_cast<std::uint32_t>(chunk.rows());
    matmul.acc = acc;
    matmul.accumulate = accumulate;
    matmul.next_weights = constant() == nullptr || !keep_;
    context_.stream.emit(matmul);
    context_.info.issued_macs += static_cast<std::uint64_t>(chunk.rows() * array_rows_ * cols_);
  }

  // --- Zero points ---

  /// UB rows that a chunk's sums of zero points take.
  std::uint64_t correction_rows() const {
    return std::uint64_t{kCorrectionRows} * context_.config.result_row_rows();
  }

  std::uint32_t correction_row(std::int64_t tile) const {
    return static_cast<std::uint32_t>(sum_rows() + tile % kCorrectionRows);
  }

  /// One row of padding through the tile that is in the array.
  void sum_zero_points(std::int64_t tile, bool accumulate) {
    Matmul matmul;
    matmul.ub.bounds[0] = {.origin = -1, .step = 0, .limit = 1};
    matmul.ub.pad = static_cast<std::uint8_t>(zero_point());
    matmul.acc = correction_row(tile);
    matmul.accumulate = accumulate;
    matmul.next_weights = false;
    context_.stream.emit(matmul);
    context_.info.issued_macs += static_cast<std::uint64_t>(array_rows_ * cols_);
  }

  /// The negated sums as a wide row: a bias.
  std::uint32_t negated_sums(const Operands& operands, std::int64_t tile) {
    Vector vector;
    vector.op = VectorOp::kNeg;
    vector.acc = correction_row(tile);
    vector.ub = operands.corrections + static_cast<std::uint32_t>(tile % kCorrectionRows) *
                                           context_.config.result_row_rows();
    context_.info.vector_rows += vector.rows;
    const std::uint32_t row = vector.ub;
    context_.stream.emit(std::move(vector));
    return row;
  }

  void drain(const BatchOffset& product, const Chunk& chunk, const Operands& operands,
             std::int64_t tile, std::uint32_t acc) {
    const std::int64_t first = tile * cols_;
    EpilogueRows::Target target;
    target.sheet = layer_.out.sheet;
    target.out = operands.out;
    target.row = layer_.out.row + product.out_row + chunk.first_row;
    target.channel = layer_.out.channel + product.out_channel + first;
    target.first = first;
    target.width = std::min(cols_, layer_.n - first);
    target.rows = chunk.rows();
    target.residual = operands.residual;
    if (target.residual) {
      target.residual_row = layer_.epilogue.residual->row + product.out_row + chunk.first_row;
    }
    Vector vector = epilogue_.instruction(target);
    vector.acc = acc;
    if (zero_point() != 0) {
      vector.has_bias = true;
      vector.bias = negated_sums(operands, tile);
    }
    context_.info.vector_rows += vector.rows;
    context_.stream.emit(std::move(vector));
  }

  const ContractionLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  const std::int64_t array_rows_;
  const std::int64_t cols_;
  const std::int64_t n_tiles_;
  EpilogueRows epilogue_;
  std::int64_t limit_ = 1;
  std::vector<Chunk> chunks_;
  std::uint64_t tile_base_ = 0;
  bool have_tile_ = false;
  bool keep_ = false;
  std::uint64_t last_tile_ = 0;
};

}  // namespace

void lower(const ContractionLayer& layer, LoweringContext& context) {
  Contraction(layer, context).run();
}

}  // namespace weft::network
