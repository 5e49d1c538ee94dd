#include "compiler/blocks/lane_blocks.h"

#include <algorithm>
#include <variant>

#include "compiler/rows/ceil_div.h"

namespace weft::compiler {

std::vector<LaneTile> lane_tiles(std::int64_t channels, const MachineConfig& config) {
  std::vector<LaneTile> tiles;
  const std::int64_t cols = config.array_cols;
  for (std::int64_t first = 0; first < channels; first += cols) {
    tiles.push_back({first, std::min(cols, channels - first)});
  }
  return tiles;
}

std::vector<ChannelRange> channel_ranges(std::int64_t channels, std::int64_t tiles,
                                         const MachineConfig& config) {
  const std::int64_t step = tiles * config.array_cols;
  std::vector<ChannelRange> ranges;
  for (std::int64_t first = 0; first < channels; first += step) {
    ranges.push_back({first, std::min(first + step, channels)});
  }
  return ranges;
}

Planes planes_of(const View& view, const ChannelRange& range, const Places& places) {
  const std::int64_t width = places.plane_width(view.sheet);
  return {(view.channel + range.first) / width, ceil_div(view.channel + range.last, width)};
}

Block write_block(const View& view, const Chunk& chunk, const ChannelRange& range,
                  const Places& places) {
  const Planes planes = planes_of(view, range, places);
  const std::int64_t row = view.row + chunk.first_row;
  return {planes.first, planes.last, row, row + chunk.rows()};
}

Planes filter_planes(const LaneTile& tile, const MachineConfig& config) {
  const std::int64_t width = config.array_rows;
  return {tile.first / width, ceil_div(tile.first + tile.width, width)};
}

std::int64_t operand_row(const LaneStep& step, const Chunk& chunk) {
  return step.b_period == 0 ? chunk.first_row : chunk.first_row % step.b_period;
}

Block operand_block(const LaneStep& step, const Chunk& chunk, const ChannelRange& range,
                    const Places& places) {
  const View& view = std::get<View>(step.b);
  const Planes planes = planes_of(view, step.b_lane ? ChannelRange{0, 1} : range, places);
  const std::int64_t first = view.row + operand_row(step, chunk) * step.b_step;
  return {planes.first, planes.last, first, first + (chunk.rows() - 1) * step.b_step + 1};
}

}  // namespace weft::compiler
