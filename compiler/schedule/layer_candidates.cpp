#include "compiler/schedule/layer_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/figures.h"
#include "compiler/blocks/places.h"
#include "compiler/layers/layer_parts.h"
#include "compiler/mapping/tiling_plan.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/search/buffered_tiles.h"

namespace weft::compiler {
namespace {

// --- Decisions in words ---

std::string form_text(const Layer& layer, std::size_t form) {
  const std::string& note = form == 0 ? layer.note : layer.others[form - 1].note;
  if (!note.empty()) return note;
  const auto* product = std::get_if<ContractionLayer>(&layer.body);
  if (form == 0 && product != nullptr && product->walk.taps() > 1) return "one tap a fold";
  return fmt::format("form {}", form);
}

std::string chunk_text(std::int64_t rows) {
  return rows == 0
             ? "chunks as estimated"
             : fmt::format("chunks of up to {}", counted(static_cast<std::uint64_t>(rows), "row"));
}

std::string groups_text(const ImageGroups& groups, std::size_t layer) {
  const std::string text = to_text(groups, layer);
  return text.empty() ? "the whole batch at once" : text;
}

std::string bands_text(const LineBands& bands, std::size_t layer) {
  const std::string text = to_text(bands, layer);
  return text.empty() ? "all lines at once" : text;
}

/// Layers [first, last] that come to have as many bands.
struct BandRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Adjacent layers whose number of bands changes to the same one.
std::vector<BandRange> changed_ranges(const LineBands& from, const LineBands& to) {
  std::vector<BandRange> ranges;
  for (std::size_t i = 0; i < to.counts.size(); ++i) {
    if (from.counts[i] == to.counts[i]) continue;
    if (!ranges.empty() && ranges.back().last + 1 == i && to.counts[i - 1] == to.counts[i]) {
      ranges.back().last = i;
    } else {
      ranges.push_back({i, i});
    }
  }
  return ranges;
}

/// The bands of the layer and, if those of others change too, of which layers: "c1 to s2 with all
/// lines at once".
std::string bands_change_text(const Segment& segment, const LineBands& from, const LineBands& to,
                              std::size_t layer) {
  const std::vector<BandRange> ranges = changed_ranges(from, to);
  const bool alone =
      ranges.empty() || (ranges.size() == 1 && ranges[0].first == layer && ranges[0].last == layer);
  if (alone) return bands_text(to, layer);
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ", ";
    text += segment.layers[first].name;
    if (last != first) text += " to " + segment.layers[last].name;
    text += (to.counts[first] == 1 ? " with " : " in ") + bands_text(to, first);
  }
  return text;
}

const char* inputs_text(bool cut) {
  return cut ? "inputs enter part by part" : "inputs enter as a whole";
}

std::string order_text(InstructionOrder order) {
  return fmt::format("instructions in order {}", to_string(order));
}

std::string fit_text(Fit fit) {
  return fit == Fit::kFirst ? "first fit" : "next fit";
}

std::string staging_text(const BufferParts& buffer) {
  return counted(buffer.staging_rows(), "row") + " of staging";
}

std::string tiles_text(std::uint32_t share) {
  if (share == 0) return "no tile through the unified buffer";
  return fmt::format("{} of {} tiles through the unified buffer", share, kTileShares);
}

std::string product_text(const Mapping& mapping) {
  const char* order = mapping.order == LoopOrder::kChunkOutermost ? "outermost" : "innermost";
  return fmt::format("chunks of {}, {}; slots: {} for activations{}",
                     counted(mapping.chunk_rows, "row"), order, mapping.activation_slots,
                     mapping.activations_resident ? " that stay" : "") +
         (mapping.bias_slots > 0 ? fmt::format(", {} for bias", mapping.bias_slots) : "") +
         (mapping.tile_slots > 0 ? fmt::format(", {} for tiles; {}", mapping.tile_slots,
                                               tiles_text(mapping.buffered_tiles))
                                 : "") +
         (mapping.stores_by_row ? "; results leave one by one" : "");
}

// --- Candidates ---

/// The layer with `images` at once. A size divides the sizes of all later layers, so earlier layers
/// take no more and later ones no less. nullopt if the sizes do not divide each other.
std::optional<ImageGroups> with_images(const Segment& segment, const ImageGroups& groups,
                                       std::size_t layer, std::int64_t images) {
  const std::int64_t batch = batch_of(segment);
  ImageGroups changed{batch, groups.sizes, groups.cut_inputs, 0};
  std::vector<std::int64_t>& sizes = changed.sizes;
  if (sizes.empty()) sizes.assign(segment.layers.size(), batch);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i <= layer) sizes[i] = std::min(sizes[i], images);
    if (i >= layer) sizes[i] = std::max(sizes[i], images);
  }
  if (!divide_each_other(changed)) return std::nullopt;
  if (groups.rounds_at_once > 1 && groups.round % sizes.back() == 0) {
    changed.round = groups.round;
    changed.rounds_at_once = groups.rounds_at_once;
    changed.merged = groups.merged;
  }
  const bool cuts = std::ranges::any_of(sizes, [&](std::int64_t size) { return size < batch; });
  return cuts ? changed : ImageGroups{};
}

/// True if the chosen form of every layer can be divided as the groups and bands say.
bool can_run(const Segment& segment, const ScheduleChoices& choices) {
  const std::size_t layers = segment.layers.size();
  if (!choices.groups.sizes.empty()) {
    const ImageDivision division(in_forms(segment, choices.forms), choices.groups.images);
    for (std::size_t i = 0; i < layers; ++i) {
      if (choices.groups.sizes[i] < choices.groups.images && !division.divides(i)) return false;
    }
  }
  if (choices.bands.counts.empty()) return true;
  const std::vector<std::int64_t> most =
      most_bands_of_layers(without_bands(segment, choices), layers);
  return std::ranges::equal(choices.bands.counts, most, std::less_equal());
}

/// Lists the candidates of a layer whose program follows from choices.
class Variations {
 public:
  Variations(const ScheduledSegment& scheduled, const MachineConfig& config, std::size_t layer)
      : segment_(scheduled.segment),
        chosen_(*scheduled.choices),
        config_(config),
        planned_(with_capacities(config, chosen_.capacities)),
        index_(layer),
        layer_(scheduled.segment.layers[layer]) {}

  std::vector<LayerCandidate> all() {
    vary_form();
    vary_chunks();
    vary_groups();
    vary_bands();
    vary_tiles();
    vary_program();
    return std::move(all_);
  }

 private:
  void vary_form() {
    for (std::size_t form = 0; form <= layer_.others.size(); ++form) {
      ScheduleChoices choices = chosen_;
      choices.forms[index_] = form;
      if (form != chosen_.forms[index_]) add(form_text(layer_, form), std::move(choices));
    }
  }

  void vary_chunks() {
    if (!accumulator_rows(layer_, planned_)) return;
    std::vector<std::int64_t> seen = {chosen_.chunk_rows[index_]};
    for (const std::int64_t parts : {0, 1, 2, 3, 4, 8}) {  // as the search does
      ScheduleChoices choices = chosen_;
      const std::int64_t rows = part_of_sums(layer_, planned_, parts);
      if (std::ranges::find(seen, rows) != seen.end()) continue;
      seen.push_back(rows);
      choices.chunk_rows[index_] = rows;
      add(chunk_text(rows), std::move(choices));
    }
  }

  /// The next size with fewer images, and the next with more.
  void vary_groups() {
    const std::int64_t batch = batch_of(segment_);
    const std::int64_t now = chosen_.groups.sizes.empty() ? batch : chosen_.groups.sizes[index_];
    std::int64_t fewer = now - 1;
    while (fewer > 0 && now % fewer != 0) --fewer;
    std::int64_t more = 2 * now;
    while (more <= batch && batch % more != 0) more += now;
    for (const std::int64_t images : {fewer, more}) {
      if (images < 1 || images > batch) continue;
      const auto groups = with_images(segment_, chosen_.groups, index_, images);
      if (!groups) continue;
      ScheduleChoices choices = chosen_;
      choices.groups = *groups;
      add(groups_text(*groups, index_), std::move(choices));
    }
  }

  /// What the search would try next for the bands of this layer. The layers of its stack go along.
  void vary_bands() {
    const PartedSegment parts = without_bands(segment_, chosen_);
    const std::size_t layers = segment_.layers.size();
    LineBands now = chosen_.bands;
    if (now.counts.empty()) now.counts.assign(layers, 1);
    std::vector<LineBands> all;
    if (chosen_.bands.counts.empty()) {
      all = fitting_bands(parts, layers, planned_);
    } else {
      all = neighbors_of(chosen_.bands, parts);
      for (LineBands& near : near_counts_of(chosen_.bands, parts)) {
        if (std::ranges::find(all, near) == all.end()) all.push_back(std::move(near));
      }
    }
    for (const LineBands& bands : all) {
      const bool other_halos = bands.counts == now.counts && now.counts[index_] > 1;
      if (bands.counts[index_] == now.counts[index_] && !other_halos) continue;
      ScheduleChoices choices = chosen_;
      choices.bands = bands;
      add(bands_change_text(segment_, now, bands, index_), std::move(choices));
    }
  }

  /// None, a quarter, a half or all tiles through the unified buffer, with the slots that there
  /// are.
  void vary_tiles() {
    const std::uint32_t slots = chosen_.buffer.tile_slots;
    if (slots == 0 || !has_constant_weights(layer_)) return;
    for (const std::uint32_t share : {0U, kTileShares / 4, kTileShares / 2, kTileShares}) {
      if (share == chosen_.buffered_tiles[index_]) continue;
      ScheduleChoices choices = chosen_;
      choices.buffered_tiles[index_] = share;
      add(tiles_text(share), std::move(choices));
    }
  }

  void vary_program() {
    ScheduleChoices choices = chosen_;
    if (!chosen_.groups.sizes.empty() || !chosen_.bands.counts.empty()) {
      choices.groups.cut_inputs = !chosen_.groups.cut_inputs;
      add(inputs_text(choices.groups.cut_inputs), choices);
      choices = chosen_;
    }
    if (chosen_.groups.rounds_at_once > 1) {
      choices.groups.rounds_at_once = 1;
      choices.groups.merged = 0;
      add("one round of images after the other", choices);
      choices = chosen_;
    }
    for (const InstructionOrder order : kInstructionOrders) {
      if (order == chosen_.order) continue;
      if (order == InstructionOrder::kByTile && !repeats_weights(segment_)) continue;
      choices.order = order;
      add(order_text(choices.order), choices);
    }
    choices = chosen_;
    choices.fit = other(chosen_.fit);
    add(fit_text(choices.fit), choices);
    const std::uint64_t staging = chosen_.buffer.staging_rows();
    for (const std::uint64_t rows : {staging / 2, std::min(2 * staging, usable_rows(planned_))}) {
      choices = chosen_;
      choices.buffer =
          with_staging(planned_, needed_margin(segment_), rows, chosen_.buffer.tile_slots);
      if (choices.buffer == chosen_.buffer) continue;
      add(staging_text(choices.buffer), choices);
    }
  }

  void add(std::string decision, ScheduleChoices choices) {
    if (!can_run(segment_, choices)) return;
    auto schedule = schedule_layers(segment_, config_, choices);
    all_.push_back({std::move(decision), std::move(choices), std::move(schedule)});
  }

  const Segment& segment_;
  const ScheduleChoices& chosen_;
  const MachineConfig& config_;
  const MachineConfig planned_;  // for which the program was planned
  const std::size_t index_;
  const Layer& layer_;
  std::vector<LayerCandidate> all_;
};

std::vector<LayerCandidate> product_candidates(const ScheduledSegment& scheduled,
                                               const MachineConfig& config) {
  constexpr std::size_t kMost = 16;  // as many as the compiler replays
  const auto spec = only_product(scheduled.segment, config);
  std::vector<LayerCandidate> all;
  for (const TilingPlan& plan : matmul_plans(*spec, config, kMost)) {
    Schedule schedule;
    schedule.layers.push_back({{plan}, {}});
    if (schedule == scheduled.schedule) continue;
    all.push_back({product_text(plan), std::nullopt, std::move(schedule)});
  }
  return all;
}

}  // namespace

std::vector<LayerCandidate> layer_candidates(const ScheduledSegment& scheduled,
                                             const MachineConfig& config, std::size_t layer) {
  if (!scheduled.choices) return product_candidates(scheduled, config);
  return Variations(scheduled, config, layer).all();
}

std::string decisions_text(const ScheduledSegment& scheduled, std::size_t layer) {
  if (!scheduled.choices) {
    return product_text(scheduled.schedule.layers.front().mappings.front());
  }
  const ScheduleChoices& choices = *scheduled.choices;
  const Layer& chosen = scheduled.segment.layers[layer];
  const bool has_forms = !chosen.others.empty() || !chosen.note.empty();
  std::string text = has_forms ? form_text(chosen, choices.forms[layer]) + "; " : "";
  if (std::holds_alternative<ContractionLayer>(chosen.body)) {
    text += chunk_text(choices.chunk_rows[layer]) + "; ";
  }
  if (!choices.groups.sizes.empty() || !choices.bands.counts.empty()) {
    text += std::string(inputs_text(choices.groups.cut_inputs)) + "; ";
  }
  if (!choices.bands.counts.empty()) text += bands_text(choices.bands, layer) + "; ";
  if (choices.buffer.tile_slots > 0 && has_constant_weights(chosen)) {
    text += tiles_text(choices.buffered_tiles[layer]) + "; ";
  }
  return text + fmt::format("{}; {}; {}; {}", groups_text(choices.groups, layer),
                            order_text(choices.order), fit_text(choices.fit),
                            staging_text(choices.buffer));
}

}  // namespace weft::compiler
