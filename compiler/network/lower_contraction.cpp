// Convolutions and matrix products:
//
//   for product in batch { for chunk of rows { for n tile {
//     for piece of the weights { for tap { for plane of K {
//       fetch; matmul                                sums in one accumulator region
//     } } }
//     vector                                         bias, scale, activation -> result rows
//   } } }
//
// Products of two computed int8 matrices, of which the first has a zero point z, stream one more
// row of padding, z in all elements, through each tile: its sums, negated, are the bias of the
// drain.
//
// Products that fit one tile keep their weights and walk the chunks innermost.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "compiler/network/chunk_input.h"
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
        k_planes_(most_planes()),
        epilogue_(layer.epilogue, layer.n, context) {}

  void run() {
    step_ = chunk_step();
    refuse_too_long();
    chunks_ = cut(layer_.walk, step_.rows);
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

  std::int64_t pieces() const { return constant() == nullptr ? 1 : constant()->pieces; }

  std::int64_t most_planes() const {
    std::int64_t most = 0;
    for (const BatchOffset& product : layer_.batch) most = std::max(most, planes(product));
    return most;
  }

  /// Tiles are packed once for all products with the same matrix at the same lanes.
  std::pair<std::int64_t, std::int64_t> tiles_key(const BatchOffset& product) const {
    return {product.matrix, front(product)};
  }

  void add_weights() {
    if (constant() == nullptr) return;
    for (const BatchOffset& product : layer_.batch) {
      const auto [tiles, is_new] = tile_bases_.try_emplace(tiles_key(product));
      if (is_new) tiles->second = add_matrix(product);
    }
  }

  std::uint64_t add_matrix(const BatchOffset& product) {
    const KLayout layout{pieces(), layer_.walk.taps(), planes(product), front(product),
                         array_rows_};
    return memory_.add_weights(
        layout.rows(), layer_.n,
        [weights = std::get<ConstantWeights>(layer_.weights), layout, k = layer_.k, n = layer_.n,
         groups = layer_.groups, dtype = context_.config.dtype, matrix = product.matrix] {
          return pack_weights(weights, layout, k, n, groups, dtype, matrix);
        });
  }

  void fill_in_plan() {
    context_.info.k_tiles = static_cast<std::uint64_t>(folds(layer_.batch.front()));
    context_.info.n_tiles = static_cast<std::uint64_t>(n_tiles_);
    context_.info.chunks = chunks_.size() * layer_.batch.size();
  }

  /// Tiles whose products are summed.
  std::int64_t folds(const BatchOffset& product) const {
    return pieces() * layer_.walk.taps() * planes(product);
  }

  /// Cycles that chunks of at most `limit` rows take the array, roughly: what a fold costs is its
  /// rows, the R pushes or the fetch, whichever is longest; with one accumulator region the vector
  /// unit's drain stands between uses.
  double cost(std::int64_t limit) const {
    const auto chunks = static_cast<double>(chunk_count(layer_.walk, limit));
    const double rows = static_cast<double>(layer_.walk.rows()) / chunks;
    const double uses = chunks * static_cast<double>(n_tiles_);
    const double fold = std::max({rows, static_cast<double>(array_rows_), fetch_cycles()});
    const bool waits = 2 * limit > sum_rows() && uses > 1;
    const double drain = rows + static_cast<double>(array_rows_ + cols_);
    const auto folds_a_use = static_cast<double>(folds(layer_.batch.front()));
    return uses * (folds_a_use * fold + (waits ? drain : 0));
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

  /// What is worked on at once: rows of the result, tiles of its columns, and planes of the
  /// operand.
  struct Step {
    std::int64_t rows = 0;
    std::int64_t tiles = 0;
    std::int64_t planes = 0;
  };

  /// Before the instructions take the memory of millions.
  void refuse_too_long() const {
    if (layer_.groups > 1) return;
    const double tiles = static_cast<double>(chunk_count(layer_.walk, step_.rows)) *
                         static_cast<double>(layer_.batch.size()) * static_cast<double>(n_tiles_);
    if (tiles * static_cast<double>(folds(layer_.batch.front())) <
        static_cast<double>(kMaxInstructions))
      return;
    throw InputError(fmt::format(
        "layer {} alone takes more than 2^26 matmul instructions, the most that a program may "
        "have; "
        "choose a smaller input or batch, or a machine with more accumulators or a larger buffer",
        context_.info.name));
  }

  /// The largest chunk worth having whose staged rows fit; where none does, pieces of its columns
  /// and of the operand's planes.
  Step chunk_step() const {
    const auto most = std::min<std::int64_t>(sum_rows(), layer_.walk.rows());
    std::int64_t best = 0;
    double best_cost = 0;
    for (std::int64_t parts = 1; parts <= 64 && parts <= most; ++parts) {
      const std::int64_t limit = most / parts;
      if (!fits({limit, n_tiles_, k_planes_})) continue;
      const double cycles = cost(limit);
      if (best == 0 || cycles < best_cost * 0.999) {
        best = limit;
        best_cost = cycles;
      }
    }
    if (best == 0) return small_step(most);
    return {best, n_tiles_, k_planes_};
  }

  /// Of all that fit, the one that moves the fewest rows.
  Step small_step(std::int64_t most) const {
    Step best;
    double best_cost = 0;
    for (std::int64_t tiles = n_tiles_;; tiles = ceil_div(tiles, 2)) {
      for (std::int64_t planes = k_planes_;; planes = ceil_div(planes, 2)) {
        Step step{most, tiles, planes};
        while (step.rows > 0 && !fits(step)) step.rows /= 2;
        const double cost = step.rows > 0 ? rows_moved(step) : 0;
        if (step.rows > 0 && (best.rows == 0 || cost < best_cost)) {
          best = step;
          best_cost = cost;
        }
        if (planes == 1) break;
      }
      if (tiles == 1) break;
    }
    if (best.rows == 0) {
      memory_.refuse(largest_need({1, 1, 1}),
                     "one row of one tile of the result and what it is made of");
    }
    return best;
  }

  /// Rows that the array takes, weights and the operand as often as it is loaded.
  double rows_moved(const Step& step) const {
    const auto chunks = static_cast<double>(chunk_count(layer_.walk, step.rows));
    const auto tiles = static_cast<double>(n_tiles_);
    const Chunk chunk = distinct_chunks(layer_.walk, step.rows).front();
    const BatchOffset& product = layer_.batch.front();
    const auto loaded =
        static_cast<double>(input(product).staging_need(chunk, all_planes(product)));
    const double loads =
        step.planes < k_planes_ ? tiles : static_cast<double>(ceil_div(n_tiles_, step.tiles));
    const auto streamed = static_cast<double>(std::max(array_rows_, chunk.rows()));
    return chunks *
           (loads * loaded + tiles * static_cast<double>(folds(layer_.batch.front())) * streamed);
  }

  bool fits(const Step& step) const { return largest_need(step) <= memory_.rows().staging_rows(); }

  std::uint64_t largest_need(const Step& step) const {
    std::uint64_t most = 0;
    for (const Chunk& chunk : distinct_chunks(layer_.walk, step.rows)) {
      for (const BatchOffset& product : layer_.batch) {
        for (std::int64_t tile = 0; tile < n_tiles_; tile += step.tiles) {
          most = std::max(most, staged(product, chunk, columns_of(tile, step), step.planes));
        }
      }
    }
    return most;
  }

  // --- Blocks ---

  /// Columns of the result that are worked on at once.
  struct Columns {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  Columns columns_of(std::int64_t tile, const Step& step) const {
    return {tile * cols_, std::min((tile + step.tiles) * cols_, layer_.n)};
  }

  ChunkInput input(const BatchOffset& product) const {
    return {memory_, layer_.a.sheet, layer_.a.row + product.a_row, layer_.walk};
  }
  Planes all_planes(const BatchOffset& product) const {
    return {first_plane(product), first_plane(product) + planes(product)};
  }

  Block out_block(const BatchOffset& product, const Chunk& chunk, const Columns& columns) const {
    const std::int64_t row = layer_.out.row + product.out_row + chunk.first_row;
    const std::int64_t channel = layer_.out.channel + product.out_channel;
    const std::int64_t width = memory_.plane_width(layer_.out.sheet);
    return {(channel + columns.first) / width, ceil_div(channel + columns.last, width), row,
            row + chunk.rows()};
  }

  Block residual_block(const BatchOffset& product, const Chunk& chunk,
                       const Columns& columns) const {
    const View& view = *layer_.epilogue.residual;
    const std::int64_t row = view.row + product.out_row + chunk.first_row;
    return {(view.channel + columns.first) / array_rows_,
            ceil_div(view.channel + columns.last, array_rows_), row, row + chunk.rows()};
  }

  Block b_block(const BatchOffset& product, const Columns& columns) const {
    const ComputedWeights& weights = std::get<ComputedWeights>(layer_.weights);
    const std::int64_t row = weights.view.row + product.b_row;
    const std::int64_t channel = weights.view.channel + product.b_channel;
    if (weights.transpose) {
      return {channel / array_rows_, ceil_div(channel + layer_.k, array_rows_), row + columns.first,
              row + columns.last};
    }
    return {(channel + columns.first) / array_rows_, ceil_div(channel + columns.last, array_rows_),
            row, row + layer_.k};
  }

  /// Rows of the operand's copy, at most `count` planes at a time.
  std::uint64_t input_need(const BatchOffset& product, const Chunk& chunk,
                           std::int64_t count) const {
    return input(product).staging_need(chunk, {0, std::min(count, planes(product))});
  }

  std::uint64_t staged(const BatchOffset& product, const Chunk& chunk, const Columns& columns,
                       std::int64_t planes_at_once) const {
    std::uint64_t rows = input_need(product, chunk, planes_at_once) + epilogue_.staging_need() +
                         memory_.staging_need(layer_.out.sheet, out_block(product, chunk, columns));
    if (layer_.epilogue.residual) {
      rows += memory_.staging_need(layer_.epilogue.residual->sheet,
                                   residual_block(product, chunk, columns));
    }
    if (constant() == nullptr) {
      const auto& weights = std::get<ComputedWeights>(layer_.weights);
      rows += memory_.staging_need(weights.view.sheet, b_block(product, columns));
    }
    if (zero_point() != 0) rows += correction_rows();
    return rows;
  }

  // --- Instructions ---

  /// The chunk's operands where they lie.
  struct Operands {
    ChunkInput::Rows a;
    std::optional<std::uint32_t> a_base;  // where planes come in one part after the other
    Placement b;
    Placement out;
    std::optional<Placement> residual;
    std::uint32_t corrections = 0;  // wide rows
  };

  Operands read_operands(const BatchOffset& product, const Chunk& chunk, const Columns& columns) {
    memory_.rows().begin_use(staged(product, chunk, columns, step_.planes));
    Operands operands;
    if (step_.planes < planes(product) && !memory_.resident(layer_.a.sheet)) {
      operands.a_base = memory_.rows().stage(input_need(product, chunk, step_.planes));
    } else {
      operands.a = input(product).read(chunk, all_planes(product));
    }
    if (const auto* weights = std::get_if<ComputedWeights>(&layer_.weights)) {
      operands.b = memory_.read(weights->view.sheet, b_block(product, columns));
    }
    if (layer_.epilogue.residual) {
      operands.residual =
          memory_.read(layer_.epilogue.residual->sheet, residual_block(product, chunk, columns));
    }
    operands.out = memory_.write_from(layer_.out.sheet, out_block(product, chunk, columns),
                                      layer_.out.channel + product.out_channel + columns.first);
    epilogue_.begin_use();
    if (zero_point() != 0) operands.corrections = memory_.rows().stage(correction_rows());
    return operands;
  }

  void run_product(const BatchOffset& product) {
    // Only where one tile serves several chunks without being fetched anew.
    if (folds(product) == 1 && chunks_.size() > 1 && memory_.resident(layer_.a.sheet) &&
        memory_.resident(layer_.out.sheet)) {
      for (std::int64_t tile = 0; tile < n_tiles_; ++tile) {
        for (const Chunk& chunk : chunks_) {
          Operands operands = read_operands(product, chunk, columns_of(tile, {0, 1, 0}));
          run_tile(product, chunk, operands, tile);
        }
      }
      return;
    }
    for (const Chunk& chunk : chunks_) {
      for (std::int64_t tile = 0; tile < n_tiles_; tile += step_.tiles) {
        run_columns(product, chunk, tile);
      }
    }
  }

  void run_columns(const BatchOffset& product, const Chunk& chunk, std::int64_t first_tile) {
    const Columns columns = columns_of(first_tile, step_);
    Operands operands = read_operands(product, chunk, columns);
    for (std::int64_t tile = first_tile; tile * cols_ < columns.last; ++tile) {
      run_tile(product, chunk, operands, tile);
    }
    memory_.wrote(layer_.out.sheet, out_block(product, chunk, columns), operands.out);
  }

  void run_tile(const BatchOffset& product, const Chunk& chunk, Operands& operands,
                std::int64_t tile) {
    const std::uint32_t acc = next_region();
    const std::int64_t count = planes(product);
    const std::int64_t at_once = operands.a_base ? step_.planes : count;
    bool first = true;
    for (std::int64_t plane = 0; plane < count; plane += at_once) {
      const Planes part{plane, std::min(plane + at_once, count)};
      if (!has_weights(product, part, tile)) continue;
      if (operands.a_base) {
        const std::int64_t before = first_plane(product);
        operands.a = input(product).read_to(*operands.a_base, chunk,
                                            {before + part.first, before + part.last});
      }
      run_planes(product, chunk, operands, tile, part, acc, first);
    }
    drain(product, chunk, operands, tile, acc);
  }

  bool has_weights(const BatchOffset& product, const Planes& part, std::int64_t tile) const {
    for (std::int64_t plane = part.first; plane < part.last; ++plane) {
      if (has_weights(product, plane, tile)) return true;
    }
    return false;
  }

  /// `first`: nothing lies in the accumulators yet.
  void run_planes(const BatchOffset& product, const Chunk& chunk, const Operands& operands,
                  std::int64_t tile, const Planes& part, std::uint32_t acc, bool& first) {
    const std::int64_t taps = layer_.walk.taps();
    for (std::int64_t i = 0; i < pieces() * taps; ++i) {
      for (std::int64_t plane = part.first; plane < part.last; ++plane) {
        if (!has_weights(product, plane, tile)) continue;
        fetch(product, operands, i * planes(product) + plane, tile);
        matmul(product, chunk, operands, i % taps, plane, acc, !first);
        if (zero_point() != 0) sum_zero_points(tile, !first);
        first = false;
      }
    }
  }

  std::uint32_t next_region() {
    const auto rows = static_cast<std::uint32_t>(step_.rows);
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

  void fetch(const BatchOffset& product, const Operands& operands, std::int64_t fold,
             std::int64_t tile) {
    if (constant() != nullptr) {
      const auto number = tile_bases_.at(tiles_key(product)) +
                          static_cast<std::uint64_t>(tile * folds(product) + fold);
      keep_ = have_tile_ && number == last_tile_;
      have_tile_ = true;
      last_tile_ = number;
      if (keep_) return;
      context_.stream.emit(Fetch{number, {}});
      context_.info.weight_bytes += context_.config.tile_bytes();
    } else {
      context_.stream.emit(Fetch{0, buffer_tile(product, operands, fold, tile)});
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
        operands.a.at.at(first_plane(product) + plane, layer_.a.row + product.a_row);
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
    target.matrix = product.matrix;
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
  const std::int64_t k_planes_;
  EpilogueRows epilogue_;
  Step step_;
  std::vector<Chunk> chunks_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> tile_bases_;
  bool have_tile_ = false;
  bool keep_ = false;
  std::uint64_t last_tile_ = 0;
};

}  // namespace

void lower(const ContractionLayer& layer, LoweringContext& context) {
  Contraction(layer, context).run();
}

}  // namespace weft::network
