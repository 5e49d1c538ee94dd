#include "compiler/schedule/schedule_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/places.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/layers/chunks.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/product/map_product.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/schedule_layers.h"

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

/// The schedule of a segment that is one product and nothing else.
Schedule product_schedule(const MatmulSpec& spec, const MachineConfig& config) {
  Schedule schedule;
  schedule.layers.push_back({{map_product(spec, config)}, {}});
  return schedule;
}

// --- Search ---

/// The search ends when it has replayed this many instructions, and takes the best schedule so far.
constexpr std::uint64_t most_replayed(SearchEffort effort) {
  return effort == SearchEffort::kThorough ? 50'000'000 : 1'500'000;
}

/// Layers of one shape choose together, so that long networks need few replays.
bool same_shape(const Layer& a, const Layer& b) {
  const auto shape = [](const Layer& layer) {
    return std::tie(layer.op, layer.result.shape, layer.macs);
  };
  return shape(a) == shape(b) && a.body.index() == b.body.index() &&
         a.others.size() == b.others.size();
}

std::size_t most_others(const Segment& segment) {
  std::size_t most = 0;
  for (const Layer& layer : segment.layers) most = std::max(most, layer.others.size());
  return most;
}

/// Estimated chunks and the whole batch; form `form` of the layers that have it, of others form 0.
ScheduleChoices first_choices(const Segment& segment, std::size_t form) {
  ScheduleChoices choices;
  choices.chunk_rows.assign(segment.layers.size(), 0);
  for (const Layer& layer : segment.layers) {
    choices.forms.push_back(form <= layer.others.size() ? form : 0);
  }
  return choices;
}

constexpr Fit other(Fit fit) {
  return fit == Fit::kFirst ? Fit::kNext : Fit::kFirst;
}

/// Tries schedules in a fixed order and keeps the one with the fewest cycles.
class ScheduleSearch {
 public:
  ScheduleSearch(const Segment& segment, const MachineConfig& config, const MappingOptions& options)
      : segment_(segment),
        config_(config),
        options_(options),
        form_(options.form),
        margin_(needed_margin(segment)),
        most_(most_replayed(options.effort)),
        replayed_(options.effort == SearchEffort::kNone
                      ? most_
                      : least_instructions(segment, config, most_)) {}

  /// nullopt if no layer fits beside sheets that stay. Short programs are also searched in each
  /// form alone, since a form may need its own chunks to be the best.
  std::optional<CostedSchedule> run() {
    search_smaller_batch();
    descend(first_choices(segment_, form_.value_or(0)));
    const std::size_t last = form_ ? 0 : most_others(segment_);
    for (std::size_t form = 0; last > 0 && form <= last; ++form) {
      if (replayed_ > most_ / 20) break;
      form_ = form;
      descend(first_choices(segment_, form));
    }
    return std::move(found_);
  }

 private:
  bool at_end() const { return best_ && replayed_ >= most_; }

  /// Searches a part of the batch, which is quicker to replay. Its choices, repeated for the other
  /// parts, are the first candidate for the whole, so that an image rarely takes longer because
  /// there are more of them. The whole then gets fewer replays.
  void search_smaller_batch() {
    const std::int64_t images = batch_of(segment_);
    if (images <= 1 || options_.effort == SearchEffort::kNone) return;
    if (!options_.image_groups.value_or(true)) return;
    std::int64_t factor = 2;
    while (images % factor != 0) ++factor;
    const ImageDivision division(in_forms(segment_, {}), images);
    const auto part = division.first_images(segment_, images / factor);
    if (!part) return;
    ScheduleSearch search(*part, config_, options_);
    const auto found = search.run();
    if (!found) return;
    most_ = most_ / 3 * 2;
    smaller_ = found->choices;
    smaller_->groups.images = images;
    if (smaller_->groups.sizes.empty()) {
      smaller_->groups.sizes.assign(segment_.layers.size(), images / factor);
    }
  }

  /// Changes one choice after the other as long as that saves cycles.
  void descend(const ScheduleChoices& start) {
    best_.reset();
    if (smaller_) {
      consider(*smaller_);
      consider_cut_inputs(*smaller_);
    }
    if (options_.effort == SearchEffort::kNone) consider_first_groups(start);
    ScheduleChoices first = start;
    for (const std::uint64_t share : {4U, 2U, 3U, 8U, 16U, 32U, 64U}) {
      if (best_ && !best_->cycles) break;
      if (best_) first.order = choices_.order;
      if (best_) first.fit = choices_.fit;
      consider_staging(share, first);
      if (!best_ || (share == 4U && !smaller_)) consider_arrangements(first, share);
    }
    if (!best_) return;
    choose_groups();
    for (const std::int64_t parts : {2, 4}) {
      ScheduleChoices choices = choices_;
      for (std::size_t i = 0; i < segment_.layers.size(); ++i)
        choices.chunk_rows[i] = part_of_sums(i, parts);
      consider(choices, least_saving(segment_.layers.size()));
    }
    // A form may need its own chunks to be the best, so the forms come before and after them.
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) choose_form_of_layers_like(i);
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) choose_chunks_of_layers_like(i);
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) choose_form_of_layers_like(i);
    if (options_.effort == SearchEffort::kThorough) refine();
    if (!found_ || (found_->cycles && best_->cycles && *best_->cycles < *found_->cycles)) {
      found_ = std::move(best_);
    }
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
    }
  }

  void refine_layer(std::size_t layer) {
    ScheduleChoices choices = choices_;
    for (std::size_t form = 0; form <= segment_.layers[layer].others.size() && !form_; ++form) {
      choices.forms[layer] = form;
      if (form != choices_.forms[layer]) consider(choices);
    }
    choices = choices_;
    if (!std::holds_alternative<ContractionLayer>(segment_.layers[layer].body)) return;
    for (const std::int64_t parts : {0, 1, 2, 3, 4, 5, 6, 8, 12, 16}) {
      choices.chunk_rows[layer] = part_of_sums(layer, parts);
      if (choices.chunk_rows[layer] != choices_.chunk_rows[layer]) consider(choices);
    }
  }

  /// The first groups that fit, without a replay.
  void consider_first_groups(ScheduleChoices choices) {
    const std::int64_t images = batch_of(segment_);
    if (images <= 1 || !options_.image_groups.value_or(true)) return;
    const ImageDivision division(in_forms(segment_, choices.forms), images);
    for (const ImageGroups& groups : fitting_groups(segment_, division, config_)) {
      choices.groups = groups;
      consider_staging(4, choices);
    }
  }

  void choose_groups() {
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
    while (!choices_.groups.sizes.empty() && !at_end()) {
      const ImageGroups before = choices_.groups;
      for (const ImageGroups& groups : neighbors_of(before, division)) {
        ScheduleChoices choices = choices_;
        choices.groups = groups;
        consider(choices);
      }
      if (choices_.groups == before) break;
    }
    if (!choices_.groups.sizes.empty()) consider_cut_inputs(choices_);
  }

  /// The choices with inputs in groups if they were whole, and the other way.
  void consider_cut_inputs(ScheduleChoices choices) {
    choices.groups.cut_inputs = !choices.groups.cut_inputs;
    consider(choices);
  }

  /// The layers with the shape of layer `first`, which choose together. Empty if `first` is not the
  /// first of them: then they have chosen.
  std::vector<std::size_t> layers_like(std::size_t first) const {
    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      if (!same_shape(segment_.layers[first], segment_.layers[i])) continue;
      if (i < first) return {};
      alike.push_back(i);
    }
    return alike;
  }

  void choose_form_of_layers_like(std::size_t first) {
    if (form_) return;
    const std::vector<std::size_t> alike = layers_like(first);
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
    const std::vector<std::size_t> alike = layers_like(first);
    if (alike.empty()) return;
    const std::int64_t now = choices_.chunk_rows[first];
    for (const std::int64_t parts : {0, 1, 2, 3, 4, 8}) {
      if (part_of_sums(first, parts) == now) continue;
      ScheduleChoices choices = choices_;
      for (const std::size_t i : alike) choices.chunk_rows[i] = part_of_sums(i, parts);
      consider(choices, least_saving(alike.size()));
    }
  }

  /// One of `parts` equal parts of the accumulator rows that a layer may use; 0 if `parts` is 0.
  std::int64_t part_of_sums(std::size_t layer, std::int64_t parts) const {
    const auto rows = accumulator_rows(segment_.layers[layer], config_);
    return parts == 0 || !rows ? 0 : std::max<std::int64_t>(1, *rows / parts);
  }

  /// The choices with each fit and each order.
  void consider_arrangements(ScheduleChoices choices, std::uint64_t share) {
    for (const InstructionOrder order : {InstructionOrder::kByStart, InstructionOrder::kByLayer}) {
      for (const Fit fit : {Fit::kNext, Fit::kFirst}) {
        choices.order = order;
        choices.fit = fit;
        consider_staging(share, choices);
      }
    }
  }

  /// The choices with 1/`share` of the buffer as staging.
  void consider_staging(std::uint64_t share, ScheduleChoices choices) {
    choices.buffer = with_staging(config_, margin_, usable_rows(config_) / share);
    consider(choices);
  }

  /// Other chunks must save a fiftieth of what an average layer takes, for each of `layers`: more
  /// of them fetch the weights more often.
  Cycle least_saving(std::size_t layers) const {
    if (!best_->cycles) return 0;
    return *best_->cycles * static_cast<Cycle>(layers) /
           static_cast<Cycle>(50 * segment_.layers.size());
  }

  void report_progress() const {
    if (!options_.progress) return;
    options_.progress(std::min(1.0, static_cast<double>(replayed_) / static_cast<double>(most_)));
  }

  /// Takes the choices if they save more than `least` cycles.
  void consider(const ScheduleChoices& choices, Cycle least = 0) {
    if (at_end()) return;
    auto scheduled = schedule_layers(segment_, config_, choices);
    auto* schedule = std::get_if<Schedule>(&scheduled);
    if (schedule == nullptr) return;
    CostedSchedule candidate{std::move(*schedule), choices, std::nullopt};
    if (replayed_ < most_) {
      if (best_ && candidate.schedule == best_->schedule) return;
      const Replay cost = replay(segment_, candidate.schedule, config_);
      replayed_ += cost.instructions;
      report_progress();
      candidate.cycles = cost.cycles;
    }
    if (best_ && *candidate.cycles + least >= *best_->cycles) return;
    best_ = std::move(candidate);
    choices_ = choices;
  }

  const Segment& segment_;
  const MachineConfig& config_;
  const MappingOptions& options_;
  std::optional<std::size_t> form_;  // of all layers that have it; nullopt: to be chosen
  const std::uint64_t margin_;
  std::uint64_t most_;                      // instructions
  std::uint64_t replayed_;                  // instructions
  std::optional<ScheduleChoices> smaller_;  // the best for a part of the batch, repeated
  std::optional<CostedSchedule> found_;     // the best of all descents
  std::optional<CostedSchedule> best_;      // of this descent
  ScheduleChoices choices_;                 // of `best_`
};

}  // namespace

CostedSchedule schedule_segment(const Segment& segment, const MachineConfig& config,
                                const MappingOptions& options) {
  if (const auto product = only_product(segment, config)) {
    return {product_schedule(*product, config), std::nullopt, std::nullopt};
  }
  if (auto found = ScheduleSearch(segment, config, options).run()) return std::move(*found);
  ScheduleChoices staged = first_choices(segment, options.form.value_or(0));
  staged.buffer = staging_only(config);
  auto scheduled = schedule_layers(segment, config, staged);
  if (const auto* obstacle = std::get_if<Obstacle>(&scheduled)) refuse(segment, *obstacle, config);
  return {std::move(std::get<Schedule>(scheduled)), std::move(staged), std::nullopt};
}

}  // namespace weft::compiler
