#include "compiler/schedule/search/candidate_search.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "compiler/blocks/places.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/divide_buffer.h"

namespace weft::compiler {

bool keeps_sheets(const Schedule& before, const Schedule& now) {
  return std::ranges::equal(before.sheets, now.sheets, [](const auto& a, const auto& b) {
    return !a || (b && b->from_layer <= a->from_layer);
  });
}

CandidateSearch::CandidateSearch(const Segment& segment, const MachineConfig& config,
                                 const MappingOptions& options, std::uint64_t most)
    : segment_(segment),
      config_(config),
      options_(options),
      margin_(needed_margin(segment)),
      most_(most),
      replayed_(options.effort == SearchEffort::kNone ? most
                                                      : least_instructions(segment, config, most)),
      replays_(segment, config) {}

std::optional<Cycle> CandidateSearch::consider(const ScheduleChoices& choices, Cycle least) {
  if (at_end()) return std::nullopt;
  auto scheduled = schedule_layers(segment_, config_, choices);
  auto* schedule = std::get_if<Schedule>(&scheduled);
  if (schedule == nullptr) return std::nullopt;
  CostedSchedule candidate{std::move(*schedule), choices, std::nullopt, 0};
  if (!at_budget()) {
    candidate.cycles = cycles_of(candidate.schedule);
    if (!candidate.cycles) return std::nullopt;
  }
  const std::optional<Cycle> cycles = candidate.cycles;
  if (best_ && *cycles + least >= *best_->cycles) return cycles;
  best_ = std::move(candidate);
  choices_ = choices;
  return cycles;
}

void CandidateSearch::give_up_far_beyond(const CostedSchedule& schedule) {
  if (const auto cycles = cycles_of(schedule.schedule)) hopeless_ = 4 * *cycles;
}

Cycle CandidateSearch::least_saving(std::size_t layers) const {
  if (!best_->cycles) return 0;
  return *best_->cycles * static_cast<Cycle>(layers) /
         static_cast<Cycle>(50 * segment_.layers.size());
}

void CandidateSearch::consider_staging(std::uint64_t share, ScheduleChoices choices) {
  stage(choices, usable_rows(planned_machine(choices)) / share);
  consider(choices);
}

void CandidateSearch::consider_arrangements(ScheduleChoices choices, std::uint64_t share) {
  for (const InstructionOrder order : {InstructionOrder::kByStart, InstructionOrder::kByLayer}) {
    for (const Fit fit : {Fit::kNext, Fit::kFirst}) {
      choices.order = order;
      choices.fit = fit;
      consider_staging(share, choices);
    }
  }
}

void CandidateSearch::consider_cut_inputs(ScheduleChoices choices) {
  choices.groups.cut_inputs = !choices.groups.cut_inputs;
  consider(choices);
}

std::int64_t CandidateSearch::part_of_sums(std::size_t layer, std::int64_t parts) const {
  return compiler::part_of_sums(segment_.layers[layer], planned_machine(choices_), parts);
}

void CandidateSearch::stage(ScheduleChoices& choices, std::uint64_t rows) const {
  const MachineConfig planned = planned_machine(choices);
  choices.buffer = with_staging(planned, margin_, std::min(rows, usable_rows(planned)),
                                choices.buffer.tile_slots);
}

ScheduleChoices CandidateSearch::with_tiles(ScheduleChoices choices,
                                            const TileChoice& tiles) const {
  const std::uint64_t staging = choices.buffer.staging_rows();
  choices.buffered_tiles = tiles.tiles;
  choices.buffer.tile_slots = tiles.slots;
  stage(choices, staging);
  return choices;
}

MachineConfig CandidateSearch::planned_machine(const ScheduleChoices& choices) const {
  return with_capacities(config_, choices.capacities);
}

std::optional<Cycle> CandidateSearch::cycles_of(const Schedule& schedule) {
  const Replay cost = replays_.of(schedule, hopeless_);
  replayed_ += cost.instructions;
  if (options_.progress) {
    options_.progress(std::min(1.0, static_cast<double>(replayed_) / static_cast<double>(most_)));
  }
  return cost.is_abandoned ? std::nullopt : std::optional(cost.cycles);
}

}  // namespace weft::compiler
