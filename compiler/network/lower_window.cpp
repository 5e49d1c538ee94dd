// Pools and depthwise convolutions on the vector unit: each tap of the window is one instruction
// over the chunk's rows, which walk the image shifted by the tap.
//
//   maximum     out = max(out, tap)                     narrow rows, exact in any format
//   average     sum += tap; out = sum / divisor         wide rows, then the epilogue, line by line
//                                                       where the divisors differ
//   depthwise   sum += tap * filter row; out = ...
#include <algorithm>
#include <optional>

#include "compiler/network/weights.h"
#include "compiler/network/window_divisors.h"

namespace weft::network {
namespace {

// Tiles alternate between two blocks of wide rows, so that one drains while the next is summed.
constexpr std::uint64_t kSumBlocks = 2;

class Window {
 public:
  Window(const WindowLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)),
        epilogue_(layer.epilogue, layer.channels, context) {
    if (!layer.line_counts.empty()) divisors_.emplace(layer, context);
  }

  void run() {
    const std::vector<Chunk> chunks =
        staged_chunks(layer_.walk, context_, [this](const Chunk& chunk) { return staged(chunk); });
    context_.info.chunks = chunks.size();
    context_.info.n_tiles = tiles_.size();
    if (layer_.kind == WindowKind::kDepthwise) load_filters();
    for (const Chunk& chunk : chunks) run_chunk(chunk);
  }

 private:
  bool has_sums() const { return layer_.kind != WindowKind::kMax; }

  std::uint64_t sum_rows(const Chunk& chunk) const {
    return static_cast<std::uint64_t>(chunk.rows()) * context_.config.result_row_rows();
  }
  std::uint64_t sum_blocks() const { return std::min<std::uint64_t>(kSumBlocks, tiles_.size()); }

  Block a_block(const Chunk& chunk) const {
    return read_block(layer_.a, layer_.walk, chunk, layer_.channels, context_);
  }
  Block out_block(const Chunk& chunk) const {
    return write_block(layer_.out, chunk, layer_.channels, context_);
  }
  const std::optional<View>& residual() const { return layer_.epilogue.residual; }
  Block residual_block(const Chunk& chunk) const {
    return write_block(*residual(), chunk, layer_.channels, context_);
  }

  std::uint64_t staged(const Chunk& chunk) const {
    return memory_.staging_need(layer_.a.sheet, a_block(chunk)) +
           memory_.staging_need(layer_.out.sheet, out_block(chunk)) +
           (residual() ? memory_.staging_need(residual()->sheet, residual_block(chunk)) : 0) +
           (has_sums() ? sum_blocks() * sum_rows(chunk) : 0);
  }

  void load_filters() {
    filters_ = memory_.load_narrow_constant(
        {layer_.walk.taps(), layer_.channels},
        [filters = layer_.filters, channels = layer_.channels, taps = layer_.walk.taps(),
         dtype = context_.config.dtype] { return pack_filters(filters, channels, taps, dtype); });
  }

  void run_chunk(const Chunk& chunk) {
    memory_.rows().begin_use(staged(chunk));
    const Placement a = memory_.read(layer_.a.sheet, a_block(chunk));
    residual_rows_.reset();
    if (residual()) residual_rows_ = memory_.read(residual()->sheet, residual_block(chunk));
    const Placement out = memory_.write(layer_.out.sheet, out_block(chunk));
    std::vector<std::uint32_t> sums;
    for (std::uint64_t i = 0; has_sums() && i < sum_blocks(); ++i) {
      sums.push_back(memory_.rows().stage(sum_rows(chunk)));
    }
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (has_sums()) {
        run_sums(chunk, tiles_[i], a, out, sums[i % sums.size()]);
      } else {
        run_maximum(chunk, tiles_[i], a, out);
      }
    }
    memory_.wrote(layer_.out.sheet, out_block(chunk), out);
  }

  VectorSource tap_source(const Chunk& chunk, const LaneTile& tile, const Placement& a,
                          std::int64_t tap) const {
    const std::int64_t kernel = layer_.walk.x.kernel;
    VectorSource source = narrow_source(layer_.a, layer_.walk, chunk, tile, a, context_,
                                        tap / kernel, tap % kernel, layer_.pad);
    source.quantization = layer_.a_quantization;
    return source;
  }

  void run_maximum(const Chunk& chunk, const LaneTile& tile, const Placement& a,
                   const Placement& out) {
    for (std::int64_t tap = 0; tap < layer_.walk.taps(); ++tap) {
      Vector vector =
          to_narrow(tap_source(chunk, tile, a, tap), layer_.out, out, chunk, tile, context_);
      vector.domain = VectorDomain::kAccumulator;
      vector.mode = tap == 0 ? VectorMode::kOverwrite : VectorMode::kMax;
      emit(std::move(vector), context_);
    }
  }

  void run_sums(const Chunk& chunk, const LaneTile& tile, const Placement& a, const Placement& out,
                std::uint32_t sums) {
    for (std::int64_t tap = 0; tap < layer_.walk.taps(); ++tap) {
      Vector vector =
          to_wide(tap_source(chunk, tile, a, tap), sums, chunk.rows(), tile, context_.config);
      vector.domain = layer_.domain;
      vector.mode = tap == 0 ? VectorMode::kOverwrite : VectorMode::kAdd;
      if (layer_.kind == WindowKind::kDepthwise) multiply_by_filter(tap, tile, vector);
      emit(std::move(vector), context_);
    }
    if (!divisors_) return drain(chunk, 0, chunk.rows(), tile, out, sums);
    // A chunk is whole lines or a piece of one.
    for (std::int64_t row = 0; row < chunk.rows(); row += chunk.xs) {
      drain(chunk, row, chunk.xs, tile, out, sums);
    }
  }

  /// The epilogue of `rows` rows of a chunk from `first` on.
  void drain(const Chunk& chunk, std::int64_t first, std::int64_t rows, const LaneTile& tile,
             const Placement& out, std::uint32_t sums) {
    EpilogueRows::Target target;
    target.sheet = layer_.out.sheet;
    target.out = out;
    target.row = layer_.out.row + chunk.first_row + first;
    target.channel = layer_.out.channel + tile.first;
    target.first = tile.first;
    target.width = tile.width;
    target.rows = rows;
    target.residual = residual_rows_;
    if (residual()) target.residual_row = residual()->row + chunk.first_row + first;
    Vector vector = epilogue_.instruction(target);
    const auto skipped = static_cast<std::uint32_t>(first) * context_.config.result_row_rows();
    vector.source = wide_source(sums + skipped, rows, context_.config);
    if (divisors_) divisors_->apply(chunk.y + first / chunk.xs % chunk.ys, chunk.x, vector);
    emit(std::move(vector), context_);
  }

  void multiply_by_filter(std::int64_t tap, const LaneTile& tile, Vector& vector) const {
    const std::int64_t width = context_.config.array_rows;
    vector.combine = VectorCombine::kMul;
    vector.operand =
        VectorOperand{.row = static_cast<std::uint32_t>(filters_.at(tile.first / width, tap)),
                      .format = RowFormat::kNarrow,
                      .window = {static_cast<std::uint32_t>(tile.first % width),
                                 static_cast<std::uint32_t>(filters_.plane_step)}};
  }

  const WindowLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  std::vector<LaneTile> tiles_;
  EpilogueRows epilogue_;
  std::optional<WindowDivisors> divisors_;
  Placement filters_;
  std::optional<Placement> residual_rows_;  // of the chunk
};

}  // namespace

void lower(const WindowLayer& layer, LoweringContext& context) {
  Window(layer, context).run();
}

DepthwiseCost depthwise_cost(const RowWalk& walk, std::int64_t channels,
                             const MachineConfig& config) {
  const std::int64_t rows = walk.rows();
  const std::int64_t taps = walk.taps();
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t vector_tiles = ceil_div(channels, config.array_cols);
  DepthwiseCost cost;
  // Each tap waits for the one before it to be readable; then the drain.
  cost.vector_cycles =
      vector_tiles * (taps + 1) * (rows + std::int64_t{config.vector_latency_cycles} + 1);
  double fetch = 0;
  if (config.memory_kind != MemoryKind::kIdeal) {
    fetch = static_cast<double>(config.tile_bytes()) * static_cast<double>(config.clock_hz) /
            static_cast<double>(config.memory_bytes_per_s);
  }
  const std::int64_t fold =
      std::max({rows, std::int64_t{config.array_rows}, static_cast<std::int64_t>(fetch)});
  cost.array_cycles = ceil_div(channels, config.array_rows) *
                      std::max<std::int64_t>(1, config.array_rows / config.array_cols) * taps *
                      fold;
  return cost;
}

}  // namespace weft::network
