#include "compiler/schedule/search/known_replays.h"

#include <algorithm>
#include <utility>

#include "compiler/schedule/choose_groups.h"

namespace weft::compiler {
namespace {

/// What a replay of a schedule depends on besides its staging.
Schedule without_division(Schedule schedule) {
  schedule.buffer = {schedule.buffer.margin, 0, 0, schedule.buffer.tile_slots};
  return schedule;
}

/// Whether a program with `staging` rows has the cycles of a replay with `known` rows. In order by
/// tile, more staging may give more tiles wide rows of their own.
bool is_staged_alike(const Replay& cost, InstructionOrder order, std::uint64_t known,
                     std::uint64_t staging) {
  if (known == staging) return true;
  return order != InstructionOrder::kByTile && cost.staged_rows && *cost.staged_rows <= staging;
}

}  // namespace

std::vector<SharedReplays::Known>& SharedReplays::of_machine(const Segment& segment,
                                                             const MachineConfig& config) {
  const std::int64_t images = batch_of(segment);
  MachineConfig machine = config;
  machine.unified_buffer_kib = 0;
  const auto found = std::ranges::find_if(machines_, [&](const OfMachine& one) {
    return one.images == images && one.machine == machine;
  });
  if (found != machines_.end()) return found->all;
  machines_.push_back({images, std::move(machine), {}});
  return machines_.back().all;
}

Replay SharedReplays::of(const Segment& segment, const Schedule& schedule,
                         const MachineConfig& config, Cycle most) {
  std::vector<Known>& all = of_machine(segment, config);
  Schedule rest = without_division(schedule);
  rest.capacities.unified_buffer_kib = 0;
  const std::uint64_t staging = schedule.buffer.staging_rows();
  for (const Known& known : all) {
    const Replay& cost = known.cost;
    if (cost.is_abandoned ? known.most != most : cost.cycles > most) continue;
    if (is_staged_alike(cost, rest.order, known.staging, staging) && known.rest == rest)
      return cost;
  }
  const Replay cost = replay(segment, schedule, config, most);
  all.push_back({std::move(rest), staging, most, cost});
  return cost;
}

std::size_t SharedReplays::size() const {
  std::size_t count = 0;
  for (const OfMachine& each : machines_) count += each.all.size();
  return count;
}

Replay KnownReplays::of(const Schedule& schedule, Cycle most) {
  Schedule rest = without_division(schedule);
  const std::uint64_t staging = schedule.buffer.staging_rows();
  for (const Known& known : all_) {
    const Replay& cost = known.cost;
    if (!is_staged_alike(cost, rest.order, known.staging, staging) || known.rest != rest) continue;
    if (!cost.is_abandoned || cost.cycles > most) {
      return {cost.cycles, cost.is_abandoned, 0, cost.staged_rows};
    }
  }
  const Replay cost = shared_ != nullptr ? shared_->of(segment_, schedule, config_, most)
                                         : replay(segment_, schedule, config_, most);
  all_.push_back({std::move(rest), staging, cost});
  return cost;
}

}  // namespace weft::compiler
