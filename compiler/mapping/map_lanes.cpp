#include "compiler/mapping/map_lanes.h"

#include <algorithm>

#include "compiler/blocks/constant_rows.h"
#include "compiler/blocks/staging.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

std::uint64_t largest_need(const RowWalk& walk, std::int64_t limit,
                           const std::vector<ChannelRange>& ranges, const StagingNeed& need) {
  std::uint64_t most = 0;
  for (const Chunk& chunk : distinct_chunks(walk, limit)) {
    for (const ChannelRange& range : ranges) most = std::max(most, need(chunk, range));
  }
  return most;
}

/// The largest size of chunks that fit in `room` rows; 0 if none does.
std::int64_t staged_limit(const RowWalk& walk, const std::vector<ChannelRange>& ranges,
                          std::uint64_t room, const StagingNeed& need) {
  std::int64_t limit = std::min(kRowsAtOnce, walk.rows());
  while (limit > 0 && largest_need(walk, limit, ranges, need) > room) limit /= 2;
  return limit;
}

}  // namespace

std::uint64_t least_staging(const RowWalk& walk, std::int64_t channels, const MachineConfig& config,
                            const StagingNeed& need) {
  return largest_need(walk, 1, channel_ranges(channels, 1, config), need);
}

std::variant<Mapping, Misfit> map_lanes(const RowWalk& walk, std::int64_t channels,
                                        const Places& places, const StagingNeed& need) {
  const std::int64_t tiles = ceil_div(channels, std::int64_t{places.config().array_cols});
  Mapping mapping;
  mapping.unit = MappedUnit::kVectorUnit;
  for (std::int64_t parts = 1; parts < 2 * tiles; parts *= 2) {
    const std::int64_t at_once = ceil_div(tiles, parts);
    const std::int64_t limit =
        staged_limit(walk, channel_ranges(channels, at_once, places.config()),
                     places.parts().staging_rows(), need);
    if (limit <= std::int64_t{mapping.chunk_rows}) continue;
    mapping.chunk_rows = static_cast<std::uint32_t>(limit);
    mapping.column_tiles = static_cast<std::uint32_t>(at_once);
  }
  if (mapping.chunk_rows > 0) return mapping;
  return Misfit{least_staging(walk, channels, places.config(), need),
                "one row of the result with its inputs"};
}

BufferNeed least_need(const WindowLayer& layer, const std::vector<Sheet>& sheets,
                      const MachineConfig& config) {
  const BufferParts parts = staging_only(config);
  const Places places(config, sheets, parts);
  std::vector<PlacedConstant> constants;
  for (const ConstantRows& rows : constants_of(layer, config)) constants.push_back({rows, {}});
  if (layer.kind == WindowKind::kDepthwise) constants.pop_back();
  const auto need = [&](const Chunk& chunk, const ChannelRange& range) {
    return staged(layer, chunk, range, places, constants);
  };
  return {least_staging(layer.walk, layer.channels, config, need), parts.staging_rows()};
}

}  // namespace weft::compiler
