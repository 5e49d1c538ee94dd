#include "compiler/schedule/segment/smaller_machines.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "compiler/blocks/places.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/search/capacity_ladder.h"
#include "compiler/schedule/segment/searches.h"

namespace weft::compiler {
namespace {

/// No machine is tried after one that takes more than a tenth longer than the best so far.
constexpr Cycle kTooSlow = 10;

}  // namespace

bool is_one_of_many(const MappingOptions& options) {
  constexpr std::size_t kMany = 16;
  return options.programs > kMany && options.effort != SearchEffort::kThorough;
}

bool tries_smaller_machines(const Segment& segment, const MachineConfig& config,
                            const MappingOptions& options) {
  if (options.effort == SearchEffort::kNone || is_one_of_many(options)) return false;
  const MachineConfig ample = ample_machine(config);
  constexpr auto kEveryLayer = std::numeric_limits<std::size_t>::max();
  if (least_instructions(segment, ample, kEveryLayer) > kShortProgram) return false;
  ScheduleChoices choices = first_choices(segment, ample, options.form.value_or(0));
  choices.buffer = with_staging(ample, needed_margin(segment), usable_rows(ample) / 4);
  const auto scheduled = schedule_layers(segment, ample, choices);
  const auto* schedule = std::get_if<Schedule>(&scheduled);
  return schedule != nullptr && replay(segment, *schedule, ample).instructions <= kShortProgram;
}

SmallerMachines::SmallerMachines(const Segment& segment, const MachineConfig& config,
                                 const MappingOptions& options, CostedSchedule own,
                                 std::optional<std::uint64_t> most, Searches& searches)
    : segment_(segment),
      config_(config),
      options_(options),
      best_(std::move(own)),
      most_(most),
      searches_(searches),
      replays_(searches.replays()) {
  options_.progress = nullptr;
  options_.effort = SearchEffort::kNormal;  // for the smaller machines
  if (!best_.cycles) best_.cycles = replays_.of(segment_, best_.schedule, config_).cycles;
}

CostedSchedule SmallerMachines::best_of_one_less() {
  const CapacityLadders ladders = capacity_ladders(segment_, config_);
  const Capacities own = capacities_of(config_);
  const auto go_down = [&](std::uint32_t Capacities::*which, const auto& values) {
    for (const std::uint32_t value : values) {
      Capacities less = own;
      less.*which = value;
      if (replayed_ >= kOneLess || !search(less)) break;
    }
  };
  go_down(&Capacities::unified_buffer_kib, ladders.unified_buffer_kib);
  go_down(&Capacities::accumulator_rows, ladders.accumulator_rows);
  go_down(&Capacities::weight_fifo_tiles, ladders.weight_fifo_tiles);
  try_slower_memories();
  return std::move(best_);
}

CostedSchedule SmallerMachines::best_of_smaller_buffers(std::uint64_t below, std::uint64_t most) {
  Capacities less = capacities_of(config_);
  for (const std::uint32_t kib : capacity_ladders(segment_, config_).unified_buffer_kib) {
    less.unified_buffer_kib = kib;
    if (usable_rows(with_capacities(config_, less)) >= below) continue;
    if (replayed_ >= most || !search(less)) break;
  }
  if (segment_.layers.size() == 1) try_slower_memories();
  return std::move(best_);
}

CostedSchedule SmallerMachines::best_of_all() {
  const CapacityLadders ladders = capacity_ladders(segment_, config_);
  for (const std::uint32_t tiles : ladders.weight_fifo_tiles) {
    if (!search({config_.unified_buffer_kib, config_.accumulator_rows, tiles})) break;
    for (const std::uint32_t rows : ladders.accumulator_rows) {
      if (!search({config_.unified_buffer_kib, rows, tiles})) break;
      for (const std::uint32_t kib : ladders.unified_buffer_kib) {
        if (!search({kib, rows, tiles})) break;
      }
    }
  }
  try_slower_memories();
  return std::move(best_);
}

void SmallerMachines::try_slower_memories() {
  constexpr Cycle kCountable = Cycle{1} << 40U;  // also if it takes four times as long
  if (!searches_.is_machine(config_)) return;
  if (config_.memory_kind != MemoryKind::kSplit || *best_.cycles > kCountable) return;
  for (const auto rate : {&MachineConfig::memory_bytes_per_s, &MachineConfig::host_bytes_per_s}) {
    MachineConfig slower = config_;
    for (int halves = 0; halves < 2 && slower.*rate > 1; ++halves) {
      slower.*rate /= 2;
      if (!search_choices(slower)) break;
    }
  }
}

bool SmallerMachines::search_choices(const MachineConfig& other) {
  const std::uint64_t most = most_ ? std::min(*most_, kOneLess) : most_of_short(segment_, other);
  const auto scheduled =
      own_schedule(segment_, other, to_the_end(options_), most, {.replays = &replays_});
  const auto* found = std::get_if<CostedSchedule>(&scheduled);
  if (found == nullptr || !found->cycles) return false;
  replayed_ += found->replayed;
  auto here = schedule_layers(segment_, config_, *found->choices);
  auto* schedule = std::get_if<Schedule>(&here);
  if (schedule == nullptr) return false;
  const Cycle cycles = replays_.of(segment_, *schedule, config_).cycles;
  if (cycles < *best_.cycles) {
    best_ = {std::move(*schedule), found->choices, cycles, best_.replayed};
  }
  return *found->cycles <= *best_.cycles + *best_.cycles / kTooSlow;
}

bool SmallerMachines::search(const Capacities& capacities) {
  if (std::ranges::find(searched_, capacities) != searched_.end()) return true;
  searched_.push_back(capacities);
  const MachineConfig smaller = with_capacities(config_, capacities);
  if (usable_rows(smaller) == 0) return false;
  Found scheduled = most_
                        ? own_schedule(segment_, smaller, options_, *most_, {.replays = &replays_})
                        : searches_.of_short(segment_, smaller, options_);
  auto* found = std::get_if<CostedSchedule>(&scheduled);
  if (found == nullptr) return false;
  replayed_ += found->replayed;
  const Cycle there = replays_.of(segment_, found->schedule, smaller).cycles;
  found->cycles = replays_.of(segment_, found->schedule, config_).cycles;
  if (*found->cycles < *best_.cycles) best_ = std::move(*found);
  return there <= *best_.cycles + *best_.cycles / kTooSlow;
}

}  // namespace weft::compiler
