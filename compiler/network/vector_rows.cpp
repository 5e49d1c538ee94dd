#include "compiler/network/vector_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/config/error.h"

namespace weft::network {
namespace {

// Rows of a vector instruction: enough to make its latency small, few enough that what follows can
// begin before a large image is done.
constexpr std::int64_t kRowsAtOnce = 1024;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

std::vector<LaneTile> lane_tiles(std::int64_t channels, const MachineConfig& config) {
  std::vector<LaneTile> tiles;
  const std::int64_t cols = config.array_cols;
  for (std::int64_t first = 0; first < channels; first += cols) {
    tiles.push_back({first, std::min(cols, channels - first)});
  }
  return tiles;
}

std::vector<Chunk> staged_chunks(const RowWalk& walk, const LoweringContext& context,
                                 const std::function<std::uint64_t(const Chunk&)>& need) {
  for (std::int64_t limit = std::min(kRowsAtOnce, walk.rows()); limit > 0; limit /= 2) {
    std::vector<Chunk> chunks = cut(walk, limit);
    const bool fits = std::ranges::all_of(chunks, [&](const Chunk& chunk) {
      return need(chunk) <= context.memory.rows().staging_rows();
    });
    if (fits) return chunks;
  }
  throw ConfigError(
      fmt::format("unified_buffer.kib = {}: too small for layer {}, of which not even one row of "
                  "the result fits "
                  "with the rows that it reads; enlarge the buffer, or choose a smaller input",
                  context.config.unified_buffer_kib, context.info.name));
}

Block read_block(const View& view, const RowWalk& walk, const Chunk& chunk, std::int64_t channels,
                 const LoweringContext& context) {
  const RowRange range = input_rows(walk, chunk);
  const std::int64_t width = context.config.array_rows;
  return {view.channel / width, ceil_div(view.channel + channels, width), view.row + range.first,
          view.row + range.last};
}

Block write_block(const View& view, const Chunk& chunk, std::int64_t channels,
                  const LoweringContext& context) {
  const std::int64_t width = context.memory.plane_width(view.sheet);
  const std::int64_t row = view.row + chunk.first_row;
  return {view.channel / width, ceil_div(view.channel + channels, width), row, row + chunk.rows()};
}

VectorSource narrow_source(const View& view, const RowWalk& walk, const Chunk& chunk,
                           const LaneTile& tile, const Placement& placement,
                           const LoweringContext& context, std::int64_t ky, std::int64_t kx,
                           std::uint16_t pad) {
  const LaneBlock lanes =
      lane_block(context, view.sheet, view.channel + tile.first, tile.width, placement.plane_step);
  VectorSource source;
  source.rows = tap_rows(walk, chunk, ky, kx, placement.at(lanes.plane, view.row), pad);
  source.window = lanes.window;
  return source;
}

VectorSource wide_source(std::uint32_t base, std::int64_t rows, const MachineConfig& config) {
  VectorSource source;
  source.rows.base = base;
  source.rows.loops[0] = {static_cast<std::uint32_t>(rows),
                          static_cast<std::int32_t>(config.result_row_rows())};
  source.format = RowFormat::kWide;
  return source;
}

VectorOperand wide_operand(std::uint32_t base, const MachineConfig& config) {
  return {.row = base, .step = config.result_row_rows()};
}

VectorOperand constant_operand(std::uint32_t base) {
  return {.row = base};
}

Vector to_wide(VectorSource source, std::uint32_t base, std::int64_t rows, const LaneTile& tile,
               const MachineConfig& config) {
  Vector vector;
  vector.domain = VectorDomain::kFloat;
  vector.source = source;
  vector.ub = base;
  vector.rows = static_cast<std::uint32_t>(rows);
  if (tile.width < config.array_cols) vector.lanes = static_cast<std::uint32_t>(tile.width);
  return vector;
}

Vector to_narrow(VectorSource source, const View& out, const Placement& placement,
                 const Chunk& chunk, const LaneTile& tile, const LoweringContext& context) {
  const LaneBlock block =
      lane_block(context, out.sheet, out.channel + tile.first, tile.width, placement.plane_step);
  Vector vector;
  vector.domain = VectorDomain::kFloat;
  vector.source = source;
  vector.format = RowFormat::kNarrow;
  vector.ub = static_cast<std::uint32_t>(placement.at(block.plane, out.row + chunk.first_row));
  vector.rows = static_cast<std::uint32_t>(chunk.rows());
  vector.window = block.window;
  vector.lanes = block.lanes;
  vector.fill = block.fill;
  return vector;
}

void emit(Vector vector, LoweringContext& context) {
  context.info.vector_rows += vector.rows;
  context.stream.emit(std::move(vector));
}

}  // namespace weft::network
