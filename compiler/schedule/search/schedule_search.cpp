#include "compiler/schedule/search/schedule_search.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/layers/layer_parts.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/search/descent.h"
#include "compiler/schedule/search/layers_alike.h"

namespace weft::compiler {
namespace {

/// Tries schedules in a fixed order and keeps the one with the fewest cycles.
class ScheduleSearch : private Descent {
 public:
  using Descent::Descent;

  void share(SharedReplays* replays) {
    CandidateSearch::share(replays);
    shares_ = replays != nullptr;
  }
  /// The choices for a part of the batch, repeated for the others, are the first candidate for the
  /// whole, so that more images rarely take longer each. The whole then gets fewer replays.
  void begin_with_part(const CostedSchedule& of_part, std::int64_t images) {
    most_ = most_ / 3 * 2;
    parts_ = batch_of(segment_) / images;
    as_part_ = repeated(of_part.one_at_a_time ? *of_part.one_at_a_time : *of_part.choices, images);
    smaller_ = with_long_chunks(*as_part_);
    if (of_part.one_at_a_time) at_once_ = repeated(*of_part.choices, images);
  }

  /// Choices for a segment of the same layers are a candidate too. For one image they leave little
  /// to improve, so the search ends early if it begins with more cycles, or with many more if
  /// candidates are replayed quickly. What loses for one image may win for a batch.
  void begin_like(const FoundChoices& like) {
    like_ = choices_like(like.choices, segment_);
    if (like_ && batch_of(segment_) == 1 && !like.is_part) likes_cycles_ = like.cycles;
  }

  /// nullopt if no layer fits beside sheets that stay. Short programs are also searched in each
  /// form alone, since a form may need its own chunks to be the best.
  std::optional<CostedSchedule> run() {
    search_twice();
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
    const std::uint64_t replayed = replayed_;
    shorten_chunks();
    found_->replayed = replayed;
    // One group of all images is none. The program is the same.
    const ImageGroups groups = without_one_group(found_->schedule.groups, found_->schedule.bands);
    found_->schedule.groups = found_->choices->groups = groups;
    return std::move(found_);
  }

 private:
  /// From the machine's own capacities, and at the same time from less of one.
  void search_twice() {
    MappingOptions silent = options_;
    silent.progress = nullptr;
    Descent other(segment_, config_, silent, most_);
    std::future<std::optional<CostedSchedule>> from_less;
    const bool begins_anew = !smaller_ && !like_ && !shares_;
    if (begins_anew && options_.effort != SearchEffort::kNone) {
      from_less = std::async([&] { return other.from_less(); });
    }
    descend(first_choices(segment_, config_, form_.value_or(0)));
    if (!from_less.valid()) return;
    auto less = from_less.get();
    if (less && less->cycles && (!found_ || !found_->cycles || *less->cycles < *found_->cycles)) {
      found_ = std::move(less);
    }
  }

  /// The choices for a part of the batch, for all of it.
  ScheduleChoices repeated(ScheduleChoices choices, std::int64_t images) const {
    choices.groups.images = batch_of(segment_);
    if (choices.groups.round == 0) choices.groups.round = images;
    if (choices.groups.sizes.empty()) choices.groups.sizes.assign(segment_.layers.size(), images);
    const ImageDivision division(in_forms(segment_, choices.forms), batch_of(segment_));
    choices.groups = as_divided(std::move(choices.groups), division);
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

  bool shares_ = false;                     // replays with other searches
  std::optional<ScheduleChoices> at_once_;  // as smaller_, with rounds at once, if that is better
};

/// True if a layer cannot take the batch in groups: its images are columns of the array.
bool has_undivided_layer(const Segment& segment) {
  const ImageDivision division(in_forms(segment, {}), batch_of(segment));
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    if (!division.divides(i)) return true;
  }
  return false;
}

/// True if a search may do better that does not begin with a part of the batch: an undivided layer
/// is another one in the part. What is far from the network's best so far is not searched again.
bool is_worth_another(const CostedSchedule& found, const Segment& segment,
                      const FoundChoices* like) {
  if (!found.cycles || !has_undivided_layer(segment)) return false;
  return like == nullptr || *found.cycles <= like->cycles + like->cycles / 50;
}

}  // namespace

std::optional<CostedSchedule> search_schedules(const Segment& segment, const MachineConfig& config,
                                               const MappingOptions& options, std::uint64_t most,
                                               const KnownChoices& known) {
  const auto part = part_of_batch(segment, options);
  const auto search = [&](const CostedSchedule* of_part) {
    ScheduleSearch each(segment, config, options, most);
    each.share(known.replays);
    if (of_part != nullptr) each.begin_with_part(*of_part, batch_of(*part));
    if (known.like != nullptr) each.begin_like(*known.like);
    return each.run();
  };
  if (!part) return search(nullptr);
  std::optional<CostedSchedule> parts_own;
  if (known.of_part == nullptr) {
    parts_own = search_schedules(*part, config, options, most, {.replays = known.replays});
    if (!parts_own) return search(nullptr);
  }
  const CostedSchedule& of_part = parts_own ? *parts_own : *known.of_part;
  auto found = search(&of_part);
  if (!found) return found;
  if (is_worth_another(*found, segment, known.like)) {
    auto other = search(nullptr);
    if (other && other->cycles && *other->cycles < *found->cycles) found = std::move(other);
  }
  if (of_part.cycles) {
    found->of_part = std::make_shared<FoundChoices>(
        FoundChoices{*of_part.choices, *of_part.cycles, of_part.of_part, true});
  }
  return found;
}

}  // namespace weft::compiler
