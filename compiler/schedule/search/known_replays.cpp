#include "compiler/schedule/search/known_replays.h"

#include <utility>

namespace weft::compiler {

Replay KnownReplays::of(const Schedule& schedule, Cycle most) {
  Schedule rest = schedule;
  rest.buffer = {schedule.buffer.margin, 0, 0, schedule.buffer.tile_slots};
  const std::uint64_t staging = schedule.buffer.staging_rows();
  for (const Known& known : all_) {
    const auto& staged = known.cost.staged_rows;
    const bool fits = known.staging == staging || (staged && *staged <= staging);
    if (!fits || known.rest != rest) continue;
    const Replay& cost = known.cost;
    if (!cost.is_abandoned || cost.cycles > most) {
      return {cost.cycles, cost.is_abandoned, 0, staged};
    }
  }
  const Replay cost = replay(segment_, schedule, config_, most);
  all_.push_back({std::move(rest), staging, cost});
  return cost;
}

}  // namespace weft::compiler
