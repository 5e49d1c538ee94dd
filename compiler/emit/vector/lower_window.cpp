// Pools and depthwise convolutions on the vector unit. Each tap of the window is one instruction
// over the chunk's rows: it walks the image, shifted by the tap.
//
//   maximum     out = max(out, tap)                     narrow rows, exact in any format
//   average     sum += tap; out = sum / divisor         wide rows, then the epilogue, line by line
//                                                       where the divisors differ
//   depthwise   sum += tap * filter row; out = ...
#include <optional>
#include <utility>
#include <vector>

#include "compiler/blocks/staging.h"
#include "compiler/emit/vector/window_divisors.h"
#include "compiler/emit/weights.h"

namespace weft::compiler {
namespace {

class WindowLowering {
 public:
  WindowLowering(const WindowLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        memory_(context.memory),
        tiles_(lane_tiles(layer.channels, context.config)),
        input_(context.memory, layer.a.sheet, layer.a.row, layer.walk),
        epilogue_(layer.epilogue, layer.channels, context) {
    if (!layer.line_counts.empty()) divisors_.emplace(layer, context);
  }

  void run() {
    if (layer_.kind == WindowKind::kDepthwise) load_filters();
    const StagedBlocks blocks =
        staged_blocks(layer_.walk, layer_.channels, context_.mappings.front(), context_.config);
    context_.info.chunks += static_cast<std::uint64_t>(blocks.chunks.size());
    context_.info.n_tiles = tiles_.size();
    for (std::int64_t i = 0; i < blocks.chunks.size(); ++i) {
      const Chunk chunk = blocks.chunks[i];
      for (const ChannelRange& range : blocks.ranges) run_block(chunk, range);
    }
  }

 private:
  bool has_sums() const { return layer_.kind != WindowKind::kMax; }

  const std::optional<View>& residual() const { return layer_.epilogue.residual; }
  Block residual_block(const Chunk& chunk, const ChannelRange& range) const {
    return write_block(*residual(), chunk, range, context_.places());
  }

  void load_filters() {
    const std::int64_t taps = layer_.walk.taps();
    const std::uint64_t host = memory_.add_narrow_constant(
        {taps, layer_.channels},
        [filters = layer_.filters, channels = layer_.channels, taps,
         dtype = context_.config.dtype] { return pack_filters(filters, channels, taps, dtype); });
    filters_.emplace(memory_, host, context_.next_constant());
  }

  void run_block(const Chunk& chunk, const ChannelRange& range) {
    const Places& places = context_.places();
    memory_.staging().begin_use(staged(layer_, chunk, range, places, context_.constants));
    const ChunkInput::ChunkRows a = input_.read(chunk, planes_of(layer_.a, range, places));
    residual_rows_.reset();
    if (residual()) residual_rows_ = memory_.read(residual()->sheet, residual_block(chunk, range));
    const Placement out = write_place(layer_.out, chunk, range, context_);
    std::vector<std::uint32_t> sums;
    for (std::uint64_t i = 0; i < sum_blocks(layer_, range, context_.config); ++i) {
      sums.push_back(memory_.staging().stage(wide_rows(chunk, context_.config)));
    }
    epilogue_.begin_use();
    if (divisors_) divisors_->begin_use();
    if (filters_) filters_->begin_use();
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (tiles_[i].first < range.first || tiles_[i].first >= range.last) continue;
      if (has_sums()) {
        run_sums(chunk, tiles_[i], a, out, sums[i % sums.size()]);
      } else {
        run_maximum(chunk, tiles_[i], a, out);
      }
    }
    memory_.wrote(layer_.out.sheet, write_block(layer_.out, chunk, range, places), out);
  }

  VectorSource tap_source(const Chunk& chunk, const LaneTile& tile, const ChunkInput::ChunkRows& a,
                          std::int64_t tap) const {
    const std::int64_t kernel = layer_.walk.x.kernel;
    VectorSource source =
        narrow_source(layer_.a, chunk, tile, a, context_, tap / kernel, tap % kernel, layer_.pad);
    source.quantization = layer_.a_quantization;
    return source;
  }

  void run_maximum(const Chunk& chunk, const LaneTile& tile, const ChunkInput::ChunkRows& a,
                   const Placement& out) {
    for (std::int64_t tap = 0; tap < layer_.walk.taps(); ++tap) {
      Vector vector =
          to_narrow(tap_source(chunk, tile, a, tap), layer_.out, out, chunk, tile, context_);
      vector.domain = VectorDomain::kAccumulator;
      vector.mode = tap == 0 ? VectorMode::kOverwrite : VectorMode::kMax;
      emit(std::move(vector), context_);
    }
  }

  void run_sums(const Chunk& chunk, const LaneTile& tile, const ChunkInput::ChunkRows& a,
                const Placement& out, std::uint32_t sums) {
    for (std::int64_t tap = 0; tap < layer_.walk.taps(); ++tap) {
      Vector vector =
          to_wide(tap_source(chunk, tile, a, tap), sums, chunk.rows(), tile, context_.config);
      vector.domain = layer_.domain;
      vector.mode = tap == 0 ? VectorMode::kOverwrite : VectorMode::kAdd;
      if (layer_.kind == WindowKind::kDepthwise) multiply_by_filter(tap, tile, vector);
      emit(std::move(vector), context_);
    }
    if (!divisors_) return drain(chunk, 0, chunk.rows(), tile, out, sums);
    // A chunk is whole lines or a part of one.
    for (std::int64_t row = 0; row < chunk.rows(); row += chunk.xs) {
      drain(chunk, row, chunk.xs, tile, out, sums);
    }
  }

  /// Emits the epilogue of `rows` rows of a chunk, from row `first` on.
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

  void multiply_by_filter(std::int64_t tap, const LaneTile& tile, Vector& vector) {
    const std::int64_t width = context_.config.array_rows;
    const Planes planes = filter_planes(tile, context_.config);
    const std::uint32_t base =
        filters_->rows_of(static_cast<std::uint32_t>(planes.first),
                          static_cast<std::uint32_t>(planes.last - planes.first));
    vector.combine = VectorCombine::kMul;
    vector.operand = VectorOperand{.row = base + static_cast<std::uint32_t>(tap),
                                   .format = RowFormat::kNarrow,
                                   .window = {static_cast<std::uint32_t>(tile.first % width),
                                              static_cast<std::uint32_t>(layer_.walk.taps())}};
  }

  const WindowLayer& layer_;
  LoweringContext& context_;
  SheetMemory& memory_;
  std::vector<LaneTile> tiles_;
  ChunkInput input_;
  EpilogueRows epilogue_;
  std::optional<WindowDivisors> divisors_;
  std::optional<LayerConstant> filters_;
  std::optional<Placement> residual_rows_;  // of the chunk
};

}  // namespace

void lower(const WindowLayer& layer, LoweringContext& context) {
  WindowLowering(layer, context).run();
}

}  // namespace weft::compiler
