#include "compiler/schedule/search/descent.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "compiler/blocks/places.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/search/layers_alike.h"
#include "compiler/schedule/search/schedule_by_estimate.h"

namespace weft::compiler {
namespace {

constexpr unsigned kFirstShare = 4;  // of the buffer, as the first staging
/// With so few layers, short chunks are tried too.
constexpr std::size_t kLayersOfShortChunks = 4;

}  // namespace

std::optional<CostedSchedule> Descent::from_less() {
  const auto less = best_start_with_less();
  if (!less) return std::nullopt;
  ScheduleChoices start = first_choices(segment_, config_, form_.value_or(0));
  start.capacities = *less;
  descend(start);
  return std::move(found_);
}

std::optional<Capacities> Descent::best_start_with_less() {
  const ScheduleChoices own = first_choices(segment_, config_, form_.value_or(0));
  const std::uint64_t before = replayed_;
  consider_staging(kFirstShare, own);
  if (!best_ || !best_->cycles || replayed_ - before < kShortProgram) return std::nullopt;
  const Cycle most = *best_->cycles / 10 * 11;
  best_.reset();
  const auto go_down = [&](std::uint32_t Capacities::*which, const auto& ladder) {
    for (const std::uint32_t value : ladder) {
      if (value == capacities_of(config_).*which) continue;
      ScheduleChoices less = own;
      less.capacities.*which = value;
      stage(less, usable_rows(planned_machine(less)) / kFirstShare);
      const auto cycles = consider(less);
      if (!cycles || *cycles > most) return;
    }
  };
  go_down(&Capacities::unified_buffer_kib, ladders_.unified_buffer_kib);
  go_down(&Capacities::accumulator_rows, ladders_.accumulator_rows);
  go_down(&Capacities::weight_fifo_tiles, ladders_.weight_fifo_tiles);
  if (!best_ || !best_->cycles || *best_->cycles > most) return std::nullopt;
  return choices_.capacities;
}

bool Descent::has_time() const {
  return best_->cycles && !smaller_ && replayed_ < most_replayed(options_.effort) / 3;
}

void Descent::descend(const ScheduleChoices& start) {
  best_.reset();
  std::optional<CostedSchedule> estimated;
  if (smaller_ && !at_budget()) {
    estimated = by_estimate(start);
    if (estimated) give_up_far_beyond(*estimated);
  }
  if (smaller_) consider_repeated();
  hopeless_ = kAnyCycles;
  if (like_ && !form_ && !tries_bands_) consider(*like_);
  if (!at_end()) {
    if (!estimated) estimated = by_estimate(start);
    const Cycle before = cycles_so_far();
    if (estimated) consider(*estimated->choices);
    // What was found for the part may win in these groups.
    if (smaller_ && cycles_so_far() != before) consider_groups_of(*estimated->choices);
  }
  ScheduleChoices first = start;
  for (const std::uint64_t share : {kFirstShare, 2U, 3U, 8U, 16U, 32U, 64U}) {
    if (best_ && !best_->cycles) break;
    if (best_) first.order = choices_.order;
    if (best_) first.fit = choices_.fit;
    consider_staging(share, first);
    if (!best_ || (share == kFirstShare && !smaller_)) consider_arrangements(first, share);
  }
  if (!best_) return;
  if (best_->cycles) choose_staging(first);
  if (!best_->cycles) choose_groups();
  if (!best_->cycles) take_tiles();
  if (best_->cycles && !is_hopeless()) improve();
  if (!found_ || (found_->cycles && best_->cycles && *best_->cycles < *found_->cycles)) {
    found_ = std::move(best_);
  }
}

std::optional<CostedSchedule> Descent::by_estimate(const ScheduleChoices& start) const {
  if (form_ || !options_.image_groups.value_or(true)) return std::nullopt;
  const bool bands = options_.line_bands && at_budget();
  return schedule_by_estimate(segment_, config_, start, margin_, bands);
}

bool Descent::is_hopeless() const {
  if (tries_bands_) return false;
  if (options_.to_beat && *best_->cycles > *options_.to_beat / 3 * 4) return true;
  if (!likes_cycles_) return false;
  const bool is_quick = replayed_ < most_replayed(options_.effort) / 50;
  return *best_->cycles > *likes_cycles_ + (is_quick ? *likes_cycles_ / 10 : 0);
}

void Descent::consider_repeated() {
  for (const std::int64_t round : {smaller_->groups.round, std::int64_t{0}}) {
    for (const Fit fit : {smaller_->fit, other(smaller_->fit)}) {
      ScheduleChoices choices = *smaller_;
      choices.groups.round = round;
      choices.fit = fit;
      consider(choices);
      consider_cut_inputs(choices);
    }
  }
  if (smaller_->groups.sizes.empty()) return;
  consider_room_beside_rounds();
  ScheduleChoices larger = *smaller_;
  for (std::int64_t& images : larger.groups.sizes) {
    images = std::min(images * parts_, larger.groups.images);
  }
  if (larger.groups.sizes.front() == larger.groups.images) larger.groups = {};
  larger.groups.round = 0;
  consider(larger);
}

void Descent::consider_room_beside_rounds() {
  ScheduleChoices choices = *smaller_;
  const std::uint64_t rows = rows_beside_rounds(in_forms(segment_, choices.forms), choices.groups,
                                                planned_machine(choices));
  const std::uint64_t staging = choices.buffer.staging_rows();
  const auto parts = static_cast<std::uint64_t>(parts_);
  const std::uint64_t more = rows - rows / parts;
  if (more == 0 || more >= staging) return;
  stage(choices, staging - more);
  consider(choices);
}

void Descent::consider_groups_of(const ScheduleChoices& other_groups) {
  for (const Fit fit : {smaller_->fit, other(smaller_->fit)}) {
    ScheduleChoices choices = *smaller_;
    choices.groups = other_groups.groups;
    choices.fit = fit;
    consider(choices);
  }
}

void Descent::improve() {
  if (smaller_) {
    consider_estimated_tiles();
  } else {
    choose_tiles(!has_time());
    if (has_time()) pace_tiles();
  }
  const bool at_once = choices_.groups.rounds_at_once > 1;
  if (!at_once) choose_smaller_buffers();
  if (!at_once) choose_groups();
  choose_bands();
  if (smaller_) consider_estimated_tiles();
  choose_chunks_of_all();
  // A form may need its own chunks to be the best, so the forms come before and after them.
  for (std::size_t i = 0; i < segment_.layers.size(); ++i) choose_form_of_layers_like(i);
  for (std::size_t i = 0; i < segment_.layers.size(); ++i) choose_chunks_of_layers_like(i);
  for (std::size_t i = 0; i < segment_.layers.size(); ++i) choose_form_of_layers_like(i);
  choose_tiles(true);
  if (has_time()) pace_tiles();
  share_tiles();
  choose_staging_again();
  if (!at_once) choose_less();
  choose_divisions_again();
  if (options_.effort == SearchEffort::kThorough) refine();
}

void Descent::refine() {
  std::optional<Cycle> before;
  while (best_->cycles && before != best_->cycles && !at_end()) {
    before = best_->cycles;
    for (const std::uint64_t share : {2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 96U}) {
      consider_arrangements(choices_, share);
    }
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) refine_layer(i);
    choose_divisions_again();
  }
}

void Descent::refine_layer(std::size_t layer) {
  ScheduleChoices choices = choices_;
  for (std::size_t form = 0; form <= segment_.layers[layer].others.size() && !form_; ++form) {
    choices.forms[layer] = form;
    if (form != choices_.forms[layer]) consider(choices);
  }
  choices = choices_;
  choices.bands = with_other_halos(choices.bands, {layer, layer + 1});
  if (choices.bands != choices_.bands) consider(choices);
  choices = choices_;
  if (!std::holds_alternative<ContractionLayer>(segment_.layers[layer].body)) return;
  for (const std::int64_t parts : {0, 1, 2, 3, 4, 5, 6, 8, 12, 16}) {
    choices.chunk_rows[layer] = part_of_sums(layer, parts);
    if (choices.chunk_rows[layer] != choices_.chunk_rows[layer]) consider(choices);
  }
}

void Descent::choose_form_of_layers_like(std::size_t first) {
  if (form_) return;
  const std::vector<std::size_t> alike = layers_alike(segment_, first);
  if (alike.empty()) return;
  const std::size_t now = choices_.forms[first];
  for (std::size_t form = 0; form <= segment_.layers[first].others.size(); ++form) {
    if (form == now) continue;
    ScheduleChoices choices = choices_;
    for (const std::size_t i : alike) choices.forms[i] = form;
    consider(choices);
    if (has_time()) consider_balanced_tiles(choices);
  }
}

void Descent::choose_chunks_of_layers_like(std::size_t first) {
  if (!std::holds_alternative<ContractionLayer>(segment_.layers[first].body)) return;
  const std::vector<std::size_t> alike = layers_alike(segment_, first);
  if (alike.empty()) return;
  const std::int64_t now = choices_.chunk_rows[first];
  int tried = 0;
  for (const std::int64_t rows :
       chunk_candidates(segment_.layers[first], planned_machine(choices_))) {
    if (++tried > 6 && !has_time()) return;
    if (rows == now) continue;
    ScheduleChoices choices = choices_;
    for (const std::size_t i : alike) choices.chunk_rows[i] = rows;
    consider(choices, least_saving(alike.size()));
  }
}

ScheduleChoices Descent::with_long_chunks(ScheduleChoices choices) const {
  for (std::int64_t& rows : choices.chunk_rows) {
    if (rows < config_.array_rows) rows = 0;
  }
  return choices;
}

void Descent::shorten_chunks() {
  if (segment_.layers.size() > kLayersOfShortChunks || !found_->cycles || !found_->choices) return;
  const auto before = found_->cycles;
  best_ = found_;
  choices_ = *found_->choices;
  if (as_part_) consider(*as_part_);
  for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
    for (const std::int64_t rows : short_chunks(segment_.layers[i], planned_machine(choices_))) {
      ScheduleChoices choices = choices_;
      choices.chunk_rows[i] = rows;
      consider(choices, least_saving(1));
    }
  }
  if (best_->cycles == before) return;
  choose_tiles(true);
  choose_staging_again();
  found_ = std::move(best_);
}

void Descent::choose_chunks_of_all() {
  int tried = 0;
  for (std::uint32_t rows = std::bit_floor(planned_machine(choices_).accumulator_rows / 2);
       rows >= config_.array_rows; rows /= 2) {
    if (++tried > 2 && !has_time()) return;
    ScheduleChoices choices = choices_;
    for (std::size_t i = 0; i < segment_.layers.size(); ++i)
      choices.chunk_rows[i] = std::min<std::int64_t>(rows, part_of_sums(i, 1));
    consider(choices, least_saving(segment_.layers.size()));
  }
}

void Descent::choose_staging(ScheduleChoices choices) {
  choices.order = choices_.order;
  choices.fit = choices_.fit;
  std::vector<std::uint64_t> sizes = staging_ladder(config_);
  if (sizes.empty()) {
    // In a small buffer the blocks of sheets that pass through may need more than half of the rows.
    const std::uint64_t all = usable_rows(config_);
    sizes = {all / 3 * 2, all};
  }
  for (const std::uint64_t rows : sizes) {
    if (!has_time()) return;
    stage(choices, rows);
    consider(choices);
  }
}

void Descent::choose_staging_again() {
  for (const std::uint64_t rows : staging_ladder(config_)) {
    if (!has_time()) return;
    for (const Fit fit : {choices_.fit, other(choices_.fit)}) {
      ScheduleChoices choices = choices_;
      choices.fit = fit;
      stage(choices, rows);
      consider(choices);
    }
  }
}

void Descent::choose_less_of(std::uint32_t Capacities::*which,
                             const std::vector<std::uint32_t>& ladder) {
  for (const std::uint32_t value : ladder) {
    if (!has_time()) return;
    Capacities capacities = choices_.capacities;
    capacities.*which = value;
    const auto cycles = consider(planned_for(capacities, choices_, segment_, config_));
    if (!cycles || *cycles > *best_->cycles / 10 * 11) return;
  }
}

void Descent::choose_smaller_buffers() {
  choose_less_of(&Capacities::unified_buffer_kib, ladders_.unified_buffer_kib);
}

void Descent::choose_less() {
  choose_smaller_buffers();
  choose_less_of(&Capacities::accumulator_rows, ladders_.accumulator_rows);
  choose_less_of(&Capacities::weight_fifo_tiles, ladders_.weight_fifo_tiles);
}

}  // namespace weft::compiler
