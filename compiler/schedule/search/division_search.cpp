#include "compiler/schedule/search/division_search.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/search/capacity_ladder.h"

namespace weft::compiler {

void DivisionSearch::choose_groups() {
  const std::int64_t images = batch_of(segment_);
  if (images <= 1 || at_end() || !options_.image_groups.value_or(true)) return;
  const ImageDivision division(in_forms(segment_, choices_.forms), images);
  const ScheduleChoices whole = choices_;
  for (const ImageGroups& groups : fitting_groups(segment_, division, config_)) {
    ScheduleChoices choices = whole;
    choices.groups = groups;
    for (const Fit fit : {whole.fit, other(whole.fit)}) {
      choices.fit = fit;
      for (const std::uint64_t share : {4U, 8U, 16U}) consider_staging(share, choices);
    }
  }
  if (!choices_.groups.sizes.empty()) move_on_groups();
  if (!choices_.groups.sizes.empty()) consider_cut_inputs(choices_);
}

void DivisionSearch::consider_at_once(const ScheduleChoices& of_round, std::int64_t images,
                                      std::uint32_t rounds) {
  Capacities part = capacities_of(config_);
  part.unified_buffer_kib /= rounds;
  part.accumulator_rows /= rounds;
  if (part.unified_buffer_kib == 0 || part.accumulator_rows < config_.array_rows) return;
  ScheduleChoices choices = planned_for(part, of_round, segment_, config_);
  choices.order = InstructionOrder::kByStart;
  choices.groups.round = images;
  choices.groups.rounds_at_once = rounds;
  choices.groups.merged = 0;
  for (std::int64_t& size : choices.groups.sizes) size = std::gcd(size, images);
  consider(choices);
  for (const std::uint64_t share : {8U, 16U}) consider_staging(share, choices);
}

ScheduleChoices DivisionSearch::one_round_at_a_time(ScheduleChoices choices) const {
  const auto rounds = static_cast<std::uint64_t>(choices.groups.rounds_at_once);
  choices.groups.rounds_at_once = 1;
  choices.groups.merged = 0;
  choices.capacities = capacities_of(config_);
  stage(choices, choices.buffer.staging_rows() * rounds);
  return choices;
}

void DivisionSearch::choose_bands() {
  if (!tries_bands_ || at_end() || !spills(segment_, best_->schedule)) return;
  const PartedSegment parts = without_bands(segment_, choices_);
  const ScheduleChoices whole = choices_;
  for (LineBands& bands : fitting_bands(parts, segment_.layers.size(), config_)) {
    ScheduleChoices choices = whole;
    choices.bands = std::move(bands);
    for (const std::uint64_t share : {4U, 8U, 16U}) consider_staging(share, choices);
  }
  if (choices_.bands.counts.empty()) return;
  most_for_divisions_ = replayed_ + (most_ - std::min(replayed_, most_)) / 2;
  move_on_bands();
  consider_cut_inputs(choices_);
}

void DivisionSearch::choose_divisions_again() {
  if (!tries_near_counts_) return;
  most_for_divisions_ = options_.effort == SearchEffort::kThorough ? most_ : most_ / 3;
  if (!choices_.groups.sizes.empty()) move_on_groups();
  if (!choices_.bands.counts.empty()) move_on_bands();
}

void DivisionSearch::move_on_groups() {
  const ImageDivision division(in_forms(segment_, choices_.forms), batch_of(segment_));
  move_on(&ScheduleChoices::groups, [&](const auto& now) { return neighbors_of(now, division); });
}

void DivisionSearch::move_on_bands() {
  const PartedSegment parts = without_bands(segment_, choices_);
  move_on(&ScheduleChoices::bands, [&](const auto& now) { return neighbors_of(now, parts); });
  if (!tries_near_counts_) return;
  move_on(&ScheduleChoices::bands, [&](const auto& now) { return near_counts_of(now, parts); });
}

template <class Choice, class Others>
void DivisionSearch::move_on(Choice ScheduleChoices::*which, const Others& others) {
  for (std::optional<Choice> before; before != choices_.*which;) {
    before = choices_.*which;
    for (Choice& changed : others(*before)) {
      if (at_end() || replayed_ >= most_for_divisions_) return;
      ScheduleChoices choices = choices_;
      choices.*which = std::move(changed);
      consider(choices);
    }
  }
}

}  // namespace weft::compiler
