#include "compiler/emit/vector/vector_rows.h"

#include <algorithm>
#include <utility>

#include "compiler/rows/ceil_div.h"

namespace weft::network {
namespace {

// Rows of a vector instruction: enough to make its latency small, few enough that later work can
// begin before a large image is done.
constexpr std::int64_t kRowsAtOnce = 1024;

}  // namespace

std::vector<LaneTile> lane_tiles(std::int64_t channels, const MachineConfig& config) {
  std::vector<LaneTile> tiles;
  const std::int64_t cols = config.array_cols;
  for (std::int64_t first = 0; first < channels; first += cols) {
    tiles.push_back({first, std::min(cols, channels - first)});
  }
  return tiles;
}

namespace {

std::vector<ChannelRange> channel_ranges(std::int64_t channels, std::int64_t step) {
  std::vector<ChannelRange> ranges;
  for (std::int64_t first = 0; first < channels; first += step) {
    ranges.push_back({first, std::min(first + step, channels)});
  }
  return ranges;
}

using StagingNeed = std::function<std::uint64_t(const Chunk&, const ChannelRange&)>;

std::uint64_t largest_need(const RowWalk& walk, std::int64_t limit,
                           const std::vector<ChannelRange>& ranges, const StagingNeed& need) {
  std::uint64_t most = 0;
  for (const Chunk& chunk : distinct_chunks(walk, limit)) {
    for (const ChannelRange& range : ranges) most = std::max(most, need(chunk, range));
  }
  return most;
}

/// The largest size of chunks that fit; 0 if none does.
std::int64_t staged_limit(const RowWalk& walk, const std::vector<ChannelRange>& ranges,
                          const LoweringContext& context, const StagingNeed& need) {
  std::int64_t limit = std::min(kRowsAtOnce, walk.rows());
  const std::uint64_t room = context.memory.rows().staging_rows();
  while (limit > 0 && largest_need(walk, limit, ranges, need) > room) limit /= 2;
  return limit;
}

}  // namespace

std::uint64_t least_staging(const RowWalk& walk, std::int64_t channels, const MachineConfig& config,
                            const StagingNeed& need) {
  return largest_need(walk, 1, channel_ranges(channels, config.array_cols), need);
}

StagedBlocks staged_blocks(const RowWalk& walk, std::int64_t channels,
                           const LoweringContext& context, const StagingNeed& need) {
  const std::int64_t cols = context.config.array_cols;
  const std::int64_t tiles = ceil_div(channels, cols);
  std::int64_t best = 0;
  std::vector<ChannelRange> ranges;
  for (std::int64_t parts = 1; parts < 2 * tiles; parts *= 2) {
    const auto cut_so = channel_ranges(channels, ceil_div(tiles, parts) * cols);
    const std::int64_t limit = staged_limit(walk, cut_so, context, need);
    if (limit <= best) continue;
    best = limit;
    ranges = cut_so;
  }
  if (best == 0) {
    context.memory.refuse(least_staging(walk, channels, context.config, need),
                          "one row of the result with its inputs");
  }
  return {cut(walk, best), ranges};
}

std::vector<Chunk> whole_row_chunks(const RowWalk& walk, const LoweringContext& context,
                                    const std::function<std::uint64_t(const Chunk&)>& need) {
  return staged_blocks(walk, 1, context,
                       [&need](const Chunk& chunk, const ChannelRange&) { return need(chunk); })
      .chunks;
}

Planes planes_of(const View& view, const ChannelRange& range, const LoweringContext& context) {
  const std::int64_t width = context.memory.plane_width(view.sheet);
  return {(view.channel + range.first) / width, ceil_div(view.channel + range.last, width)};
}

Block write_block(const View& view, const Chunk& chunk, const ChannelRange& range,
                  const LoweringContext& context) {
  const Planes planes = planes_of(view, range, context);
  const std::int64_t row = view.row + chunk.first_row;
  return {planes.first, planes.last, row, row + chunk.rows()};
}

Placement write_place(const View& view, const Chunk& chunk, const ChannelRange& range,
                      LoweringContext& context) {
  return context.memory.write_from(view.sheet, write_block(view, chunk, range, context),
                                   view.channel + range.first);
}

VectorSource narrow_source(const View& view, const Chunk& chunk, const LaneTile& tile,
                           const ChunkInput::Rows& rows, const LoweringContext& context,
                           std::int64_t ky, std::int64_t kx, std::uint16_t pad) {
  const LaneBlock lanes =
      lane_block(context, view.sheet, view.channel + tile.first, tile.width, rows.at.plane_step);
  VectorSource source;
  source.rows = tap_rows(rows.walk, chunk, ky, kx, rows.at.at(lanes.plane, view.row), pad);
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
