#include "compiler/schedule/segment/schedule_segment.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <variant>

#include "base/error.h"
#include "compiler/blocks/places.h"
#include "compiler/schedule/segment/searches.h"

namespace weft::compiler {
namespace {

[[noreturn]] void refuse(const Segment& segment, const Obstacle& obstacle,
                         const MachineConfig& config) {
  const std::uint64_t there = usable_rows(config);
  const Misfit& misfit = obstacle.misfit;
  throw ConfigError(fmt::format(
      "unified_buffer.kib = {}: too small for layer {}, which needs {} at once: {} rows or {} "
      "bytes, and there are {} rows or {} bytes; enlarge the buffer",
      config.unified_buffer_kib, segment.layers[obstacle.layer].name, misfit.what, misfit.rows,
      misfit.rows * config.row_bytes(), there, there * config.row_bytes()));
}

/// The thorough search begins elsewhere than the normal one and may end in a worse place, so it
/// takes the better of both.
Found find_best(const Segment& segment, const MachineConfig& config, const MappingOptions& options,
                const FoundChoices* like) {
  Searches searches(config);
  auto found = searches.find(segment, config, options, like);
  if (options.effort != SearchEffort::kThorough) return found;
  MappingOptions normal = options;
  normal.effort = SearchEffort::kNormal;
  auto first = searches.find(segment, config, normal, like);
  const auto* before = std::get_if<CostedSchedule>(&first);
  const auto* now = std::get_if<CostedSchedule>(&found);
  const bool is_worse = before != nullptr && before->cycles &&
                        (now == nullptr || (now->cycles && *now->cycles > *before->cycles));
  return is_worse ? std::move(first) : std::move(found);
}

}  // namespace

CostedSchedule schedule_segment(const Segment& segment, const MachineConfig& config,
                                const MappingOptions& options, const FoundChoices* like) {
  auto found = find_best(segment, config, options, like);
  if (const auto* obstacle = std::get_if<Obstacle>(&found)) refuse(segment, *obstacle, config);
  return std::get<CostedSchedule>(std::move(found));
}

}  // namespace weft::compiler
