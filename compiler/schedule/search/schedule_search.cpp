#include "compiler/schedule/search/schedule_search.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/search/capacity_ladder.h"
#include "compiler/schedule/search/division_search.h"
#include "compiler/schedule/search/layers_alike.h"
#include "compiler/schedule/search/schedule_by_estimate.h"

namespace weft::compiler {
namespace {

/// Tries schedules in a fixed order and keeps the one with the fewest cycles.
class ScheduleSearch : private DivisionSearch {
 public:
  ScheduleSearch(const Segment& segment, const MachineConfig& config, const MappingOptions& options,
                 std::uint64_t most)
      : DivisionSearch(segment, config, options, most),
        form_(options.form),
        ladders_(capacity_ladders(segment, config)) {}

  using CandidateSearch::share;
  /// The choices for a part of the batch, repeated for the others, are the first candidate for the
  /// whole, so that more images rarely take longer each. The whole then gets fewer replays.
  void begin_with_part(const CostedSchedule& of_part, std::int64_t images) {
    most_ = most_ / 3 * 2;
    parts_ = batch_of(segment_) / images;
    smaller_ = repeated(of_part.one_at_a_time ? *of_part.one_at_a_time : *of_part.choices, images);
    if (of_part.one_at_a_time) at_once_ = repeated(*of_part.choices, images);
  }

  /// Choices for a segment of the same layers are a candidate too. For one image they leave little
  /// to improve, so the search ends early if it begins with more cycles.
  void begin_like(const SearchedLike& like) {
    like_ = choices_like(*like.choices, segment_);
    if (like_ && batch_of(segment_) == 1) likes_cycles_ = like.cycles;
  }

  /// nullopt if no layer fits beside sheets that stay. Short programs are also searched in each
  /// form alone, since a form may need its own chunks to be the best.
  std::optional<CostedSchedule> run() {
    descend(first_choices(segment_, config_, form_.value_or(0)));
    const std::size_t last = form_ ? 0 : most_other_forms(segment_);
    for (std::size_t form = 0; last > 0 && form <= last; ++form) {
      if (replayed_ > most_replayed(options_.effort) / 20) break;
      form_ = form;
      descend(first_choices(segment_, config_, form));
    }
    // Bands need their own chunks and forms, and may lose in the end, so they come last. Small
    // steps from the start find other bands, often worse ones, so they get a descent of their own.
    tries_bands_ = options_.line_bands;
    form_ = options_.form;
    if (tries_bands_ && found_ && found_->cycles && !at_budget() &&
        spills(segment_, found_->schedule)) {
      descend(first_choices(segment_, config_, form_.value_or(0)));
      tries_near_counts_ = true;
      if (!found_->choices->bands.counts.empty()) {
        descend(first_choices(segment_, config_, form_.value_or(0)));
      }
    }
    tries_bands_ = false;
    start_with_long_chunks();
    if (!found_) return std::nullopt;
    try_rounds_at_once();
    found_->replayed = replayed_;
    // One group of all images is none. The program is the same.
    const ImageGroups groups = without_one_group(found_->schedule.groups, found_->schedule.bands);
    found_->schedule.groups = found_->choices->groups = groups;
    return std::move(found_);
  }

 private:
  /// The choices for a part of the batch, for all of it.
  ScheduleChoices repeated(ScheduleChoices choices, std::int64_t images) const {
    choices.groups.images = batch_of(segment_);
    if (choices.groups.round == 0) choices.groups.round = images;
    if (choices.groups.sizes.empty()) choices.groups.sizes.assign(segment_.layers.size(), images);
    return choices;
  }

  /// Rounds under way at once, with a budget of their own: most of them lose, and the others need
  /// theirs. If nothing of the whole batch could be replayed, those of the part are repeated.
  void try_rounds_at_once() {
    if (!smaller_ || !options_.image_groups.value_or(true)) return;
    if (!found_->cycles && !at_once_) return;
    CostedSchedule before = std::move(*found_);
    best_.reset();
    if (before.cycles) {
      most_ = replayed_ + most_ / 3;
      hopeless_ = *before.cycles / 20 * 21;
      consider_rounds_at_once();
      hopeless_ = kAnyCycles;
      if (best_ && best_->cycles) improve();
    } else {
      consider(*at_once_);
    }
    const bool is_better =
        best_ && (!before.cycles || (best_->cycles && *best_->cycles < *before.cycles));
    found_ = is_better ? std::move(best_) : std::move(before);
    if (is_better) found_->one_at_a_time = std::move(before.choices);
  }

  void consider_rounds_at_once() {
    const std::int64_t part = batch_of(segment_) / parts_;
    if (at_once_) {
      consider(*at_once_);
      ScheduleChoices apart = *at_once_;
      if (apart.groups.merged == 0) apart.groups.merged = part;
      consider(apart);
    }
    consider_at_once(*smaller_, part, 2);
    const std::int64_t round = at_once_ ? at_once_->groups.round : part / 2;
    if (round == 0 || part % round != 0) return;
    const ScheduleChoices& of_round = at_once_ ? one_round_at_a_time(*at_once_) : *smaller_;
    for (const std::uint32_t rounds : {2U, 3U, 4U}) consider_at_once(of_round, round, rounds);
  }

  /// Small programs are also searched from chunks of all rows that the accumulators hold, and of
  /// half of them: with another division of the buffer they may win, and alone they would not.
  /// Layers in groups are left out: if either unit can run them, the search has more to try and
  /// might end before, and then one unit alone would win.
  void start_with_long_chunks() {
    if (std::ranges::any_of(segment_.layers, has_groups)) return;
    for (const std::int64_t parts : {1, 2}) {
      if (replayed_ > most_replayed(options_.effort) / 10) return;
      ScheduleChoices start = first_choices(segment_, config_, form_.value_or(0));
      for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
        start.chunk_rows[i] = part_of_sums(i, parts);
      }
      descend(start);
    }
  }

  /// What seldom saves much is tried only if there is time for it. A batch begins with what was
  /// found for a part of it, and needs its time for groups of images.
  bool has_time() const {
    return best_->cycles && !smaller_ && replayed_ < most_replayed(options_.effort) / 3;
  }
  /// Changes one choice after the other as long as that saves cycles.
  void descend(const ScheduleChoices& start) {
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
    for (const std::uint64_t share : {4U, 2U, 3U, 8U, 16U, 32U, 64U}) {
      if (best_ && !best_->cycles) break;
      if (best_) first.order = choices_.order;
      if (best_) first.fit = choices_.fit;
      consider_staging(share, first);
      if (!best_ || (share == 4U && !smaller_)) consider_arrangements(first, share);
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

  std::optional<CostedSchedule> by_estimate(const ScheduleChoices& start) const {
    if (form_ || !options_.image_groups.value_or(true)) return std::nullopt;
    const bool bands = options_.line_bands && at_budget();
    return schedule_by_estimate(segment_, config_, start, margin_, bands);
  }

  bool is_hopeless() const {
    if (tries_bands_) return false;
    return (options_.to_beat && *best_->cycles > *options_.to_beat / 5 * 6) ||
           (likes_cycles_ && *best_->cycles > *likes_cycles_);
  }

  /// The choices for a part of the batch: its instructions part by part, or of all parts together,
  /// or with as many groups of more images.
  void consider_repeated() {
    for (const std::int64_t round : {smaller_->groups.round, std::int64_t{0}}) {
      for (const Fit fit : {smaller_->fit, other(smaller_->fit)}) {
        ScheduleChoices choices = *smaller_;
        choices.groups.round = round;
        choices.fit = fit;
        consider(choices);
        consider_cut_inputs(choices);
      }
    }
    ScheduleChoices larger = *smaller_;
    for (std::int64_t& images : larger.groups.sizes) images *= parts_;
    if (larger.groups.sizes.front() == larger.groups.images) larger.groups = {};
    larger.groups.round = 0;
    consider(larger);
  }

  /// The choices for a part of the batch with other groups of images.
  void consider_groups_of(const ScheduleChoices& other_groups) {
    for (const Fit fit : {smaller_->fit, other(smaller_->fit)}) {
      ScheduleChoices choices = *smaller_;
      choices.groups = other_groups.groups;
      choices.fit = fit;
      consider(choices);
    }
  }

  void improve() {
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

  /// Changes the choices of single layers, and the division of the buffer, until nothing saves
  /// cycles.
  void refine() {
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

  void refine_layer(std::size_t layer) {
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

  void choose_form_of_layers_like(std::size_t first) {
    if (form_) return;
    const std::vector<std::size_t> alike = layers_alike(segment_, first);
    if (alike.empty()) return;
    const std::size_t now = choices_.forms[first];
    for (std::size_t form = 0; form <= segment_.layers[first].others.size(); ++form) {
      if (form == now) continue;
      ScheduleChoices choices = choices_;
      for (const std::size_t i : alike) choices.forms[i] = form;
      consider(choices);
    }
  }

  void choose_chunks_of_layers_like(std::size_t first) {
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

  /// Chunks of the same size for all layers.
  void choose_chunks_of_all() {
    int tried = 0;
    for (std::uint32_t rows = std::bit_floor(config_.accumulator_rows / 2);
         rows >= config_.array_rows; rows /= 2) {
      if (++tried > 2 && !has_time()) return;
      ScheduleChoices choices = choices_;
      for (std::size_t i = 0; i < segment_.layers.size(); ++i)
        choices.chunk_rows[i] = std::min<std::int64_t>(rows, part_of_sums(i, 1));
      consider(choices, least_saving(segment_.layers.size()));
    }
  }

  /// The sizes of staging that are no shares of this buffer.
  void choose_staging(ScheduleChoices choices) {
    choices.order = choices_.order;
    choices.fit = choices_.fit;
    for (const std::uint64_t rows : staging_ladder(config_)) {
      if (!has_time()) return;
      stage(choices, rows);
      consider(choices);
    }
  }

  /// With other chunks and forms, other sizes of staging may be the best.
  void choose_staging_again() {
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

  /// Goes down the ladder of one capacity until a machine is much slower: still smaller ones are
  /// slower yet. With a smaller buffer fewer sheets stay, and more pass through while others are
  /// computed.
  void choose_less_of(std::uint32_t Capacities::*which, const std::vector<std::uint32_t>& ladder) {
    for (const std::uint32_t value : ladder) {
      if (!has_time()) return;
      Capacities capacities = choices_.capacities;
      capacities.*which = value;
      const auto cycles = consider(planned_for(capacities, choices_, segment_, config_));
      if (!cycles || *cycles > *best_->cycles / 10 * 11) return;
    }
  }

  void choose_smaller_buffers() {
    choose_less_of(&Capacities::unified_buffer_kib, ladders_.unified_buffer_kib);
  }

  void choose_less() {
    choose_smaller_buffers();
    choose_less_of(&Capacities::accumulator_rows, ladders_.accumulator_rows);
    choose_less_of(&Capacities::weight_fifo_tiles, ladders_.weight_fifo_tiles);
  }

  std::optional<std::size_t> form_;  // of all layers that have it; nullopt: to be chosen
  const CapacityLadders ladders_;
  std::int64_t parts_ = 1;                  // of the batch
  std::optional<ScheduleChoices> smaller_;  // the best for a part of the batch, repeated
  std::optional<ScheduleChoices> at_once_;  // the same with rounds at once, if that is better
  std::optional<ScheduleChoices> like_;     // for a segment of the same layers
  std::optional<Cycle> likes_cycles_;
  std::optional<CostedSchedule> found_;  // the best of all descents
};

}  // namespace

std::optional<CostedSchedule> search_schedules(const Segment& segment, const MachineConfig& config,
                                               const MappingOptions& options, std::uint64_t most,
                                               const KnownChoices& known) {
  ScheduleSearch search(segment, config, options, most);
  search.share(known.replays);
  if (const auto part = part_of_batch(segment, options)) {
    std::optional<CostedSchedule> found;
    if (known.of_part == nullptr) {
      found = search_schedules(*part, config, options, most, {.replays = known.replays});
    }
    const CostedSchedule* of_part = found ? &*found : known.of_part;
    if (of_part != nullptr) search.begin_with_part(*of_part, batch_of(*part));
  }
  if (known.like.choices != nullptr) search.begin_like(known.like);
  return search.run();
}

}  // namespace weft::compiler
