#include "compiler/schedule/schedule_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "compiler/blocks/constant_rows.h"
#include "compiler/blocks/staging.h"
#include "compiler/layers/line_bands.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/mapping/map_contraction.h"
#include "compiler/mapping/map_lanes.h"
#include "compiler/schedule/staying_rows.h"

namespace weft::compiler {
namespace {

/// Schedules the layers one after the other, for one division of the unified buffer.
class Scheduler {
 public:
  /// `config`: the machine for which to plan.
  Scheduler(const PartedSegment& parts, const MachineConfig& config, const ScheduleChoices& choices)
      : parts_(parts),
        segment_(parts.segment),
        config_(config),
        chunk_rows_(choices.chunk_rows),
        buffered_tiles_(choices.buffered_tiles),
        places_(config, segment_.sheets, choices.buffer),
        rows_(choices.buffer.margin, choices.buffer.staging, choices.fit) {
    schedule_.capacities = capacities_of(config);
    schedule_.buffer = choices.buffer;
    schedule_.forms = choices.forms;
    schedule_.groups = choices.groups;
    schedule_.bands = choices.bands;
    schedule_.order = choices.order;
    schedule_.sheets.resize(segment_.sheets.size());
    begun_.resize(segment_.sheets.size(), false);
    last_writers_.resize(segment_.sheets.size(), 0);
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      last_writers_[result_view(segment_.layers[i].body).sheet] = i;
    }
  }

  std::variant<Schedule, Obstacle> run() {
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      if (auto misfit = add(i)) return Obstacle{parts_.layers[i].layer, std::move(*misfit)};
    }
    return std::move(schedule_);
  }

 private:
  std::optional<Misfit> add(std::size_t layer) {
    const LayerBody& body = segment_.layers[layer].body;
    schedule_.layers.emplace_back();
    // Each round of groups then finds the rows as the first did.
    if (parts_.layers[layer].layer == 0 && parts_.layers[layer].body == 0) rows_.restart();
    // A sheet that moves from the host is loaded as a whole, so all of it must have been written.
    for_each_input_sheet(body, [&](std::size_t sheet) {
      if (last_writers_[sheet] < layer || segment_.sheets[sheet].from_host) place(sheet, layer);
    });
    // A wide sheet only passes through on its way to the host.
    const std::size_t out = result_view(body).sheet;
    if (!segment_.sheets[out].wide && !begun_[out]) place(out, layer);
    begun_[out] = true;
    place_constants(body);
    auto misfit = std::visit([&](const auto& each) { return map(each); }, body);
    if (!misfit && begins_too_early(body)) misfit.emplace();
    for (const auto& base : schedule_.layers.back().constants) {
      if (base) rows_.release(*base);
    }
    release_after(layer);
    return misfit;
  }

  void place(std::size_t sheet, std::size_t layer) {
    if (places_.resident(sheet)) return;
    const std::uint64_t rows = places_.total_rows(sheet);
    const auto base = outlives_rounds(sheet) ? rows_.take_last(rows) : rows_.take(rows);
    if (!base) return;
    places_.place(sheet, *base);
    schedule_.sheets[sheet] = SheetStay{layer, *base};
  }

  /// True if several rounds write what a later layer reads at once. Such sheets lie apart, so that
  /// the next round finds the other rows as this one did.
  bool outlives_rounds(std::size_t sheet) const {
    return outlasts_round(schedule_.groups, parts_.layers[segment_.sheets[sheet].last_use].layer);
  }

  void release_after(std::size_t layer) {
    for (std::size_t sheet = 0; sheet < segment_.sheets.size(); ++sheet) {
      if (!places_.resident(sheet) || segment_.sheets[sheet].last_use > layer) continue;
      rows_.release(places_.base(sheet));
      places_.remove(sheet);
    }
  }

  void place_constants(const LayerBody& body) {
    constants_.clear();
    for (const ConstantRows& constant : constants_of(body, config_)) {
      const auto base = rows_.take(constant.rows());
      constants_.push_back({constant, base});
      schedule_.layers.back().constants.push_back(base);
    }
  }

  // --- Mappings ---

  std::optional<Misfit> keep(std::variant<Mapping, Misfit> mapped) {
    if (auto* misfit = std::get_if<Misfit>(&mapped)) return std::move(*misfit);
    schedule_.layers.back().mappings.push_back(std::get<Mapping>(mapped));
    return std::nullopt;
  }

  std::optional<Misfit> map(const ContractionLayer& layer) {
    const std::size_t whole = parts_.layers[schedule_.layers.size() - 1].layer;
    auto mapped = map_contraction(layer, ContractionBlocks(layer, places_, constants_), places_,
                                  chunk_rows_[whole]);
    auto* mapping = std::get_if<Mapping>(&mapped);
    if (mapping != nullptr && schedule_.buffer.tile_slots > 0 && !buffered_tiles_.empty() &&
        std::holds_alternative<ConstantWeights>(layer.weights)) {
      mapping->buffered_tiles = buffered_tiles_[whole];
    }
    return keep(std::move(mapped));
  }
  std::optional<Misfit> map(const WindowLayer& layer) {
    return map_channels(layer, layer.channels, constants_);
  }
  std::optional<Misfit> map(const ElementwiseLayer& layer) {
    return map_channels(layer, layer.channels, constants_);
  }
  std::optional<Misfit> map(const ConcatLayer& layer) {
    std::span<const PlacedConstant> left = constants_;
    for (const ElementwiseLayer& part : layer.parts) {
      const std::size_t count = constant_count(part.steps);
      if (auto misfit = map_channels(part, part.channels, left.first(count))) return misfit;
      left = left.subspan(count);
    }
    return std::nullopt;
  }
  // The others work on whole rows.
  template <class Layer>
  std::optional<Misfit> map(const Layer& layer) {
    return map_channels(layer, 1, constants_);
  }

  template <class Layer>
  std::optional<Misfit> map_channels(const Layer& layer, std::int64_t channels,
                                     std::span<const PlacedConstant> constants) {
    return keep(map_lanes(layer.walk, channels, places_,
                          [&](const Chunk& chunk, const ChannelRange& range) {
                            return staged(layer, chunk, range, places_, constants);
                          }));
  }

  /// True if the border of a resident image lies before the unified buffer, because the margin is
  /// smaller than the border.
  bool begins_too_early(const LayerBody& body) const {
    return std::visit([&](const auto& layer) { return image_begins_too_early(layer); }, body);
  }
  bool image_begins_too_early(const ConcatLayer& layer) const {
    return std::ranges::any_of(
        layer.parts, [&](const ElementwiseLayer& part) { return image_begins_too_early(part); });
  }
  template <class Layer>
  bool image_begins_too_early(const Layer& layer) const {
    return places_.resident(layer.a.sheet) && first_row(layer) < margin_of(layer.walk);
  }
  std::int64_t first_row(const ContractionLayer& layer) const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const BatchOffset& product : layer.batch) {
      const std::int64_t plane = (layer.a.channel + product.a_channel) / config_.array_rows;
      first = std::min(first, places_.whole(layer.a.sheet).at(plane, layer.a.row + product.a_row));
    }
    return first;
  }
  template <class Layer>
  std::int64_t first_row(const Layer& layer) const {
    return places_.whole(layer.a.sheet).at(layer.a.channel / config_.array_rows, layer.a.row);
  }

  const PartedSegment& parts_;
  const Segment& segment_;  // of parts
  const MachineConfig& config_;
  const std::vector<std::int64_t>& chunk_rows_;
  const std::vector<std::uint32_t>& buffered_tiles_;
  Places places_;
  StayingRows rows_;
  std::vector<bool> begun_;  // of each sheet: a layer writes it, so the rest goes to the same place
  std::vector<std::size_t> last_writers_;  // of each sheet
  std::vector<PlacedConstant> constants_;  // of the layer
  Schedule schedule_;
};

}  // namespace

ScheduleChoices first_choices(const Segment& segment, const MachineConfig& config,
                              std::size_t form) {
  ScheduleChoices choices;
  choices.capacities = capacities_of(config);
  choices.chunk_rows.assign(segment.layers.size(), 0);
  for (const Layer& layer : segment.layers) {
    choices.forms.push_back(form <= layer.others.size() ? form : 0);
  }
  return choices;
}

std::optional<std::int64_t> accumulator_rows(const Layer& layer, const MachineConfig& config) {
  std::optional<std::int64_t> rows;
  for_each_contraction(layer, [&](const ContractionLayer& contraction) {
    if (!rows) rows = sum_rows(contraction, config);
  });
  return rows;
}

bool has_constant_weights(const Layer& layer) {
  bool found = false;
  for_each_contraction(layer, [&](const ContractionLayer& contraction) {
    found = found || std::holds_alternative<ConstantWeights>(contraction.weights);
  });
  return found;
}

std::int64_t part_of_sums(const Layer& layer, const MachineConfig& config, std::int64_t parts) {
  const auto rows = accumulator_rows(layer, config);
  return parts == 0 || !rows ? 0 : std::max<std::int64_t>(1, *rows / parts);
}

std::optional<RoundsMisfit> misfit_of_rounds(const ImageGroups& groups,
                                             const Capacities& capacities, InstructionOrder order,
                                             const MachineConfig& config) {
  const std::int64_t given = groups.rounds_at_once;
  if (given == 1) {
    if (groups.merged == 0) return std::nullopt;
    return RoundsMisfit{"merged", groups.merged, "must be 0 with one round at once"};
  }
  const std::int64_t rounds = groups.round > 0 ? groups.images / groups.round : 1;
  const auto misfit = [&](std::string why) {
    return RoundsMisfit{"rounds_at_once", given, std::move(why)};
  };
  if (given < 1 || given > rounds) {
    return misfit(fmt::format("must be 1 to {}, the rounds of the batch", rounds));
  }
  if (!groups.sizes.empty() && outlasts_round(groups, groups.sizes.size() - 1)) {
    return misfit("must be 1, because the last layer takes more than a round");
  }
  if (order != InstructionOrder::kByStart) return misfit("the order must be \"by start\"");
  if (!fits_at_once(capacities, given, config)) {
    return misfit(
        fmt::format("the machine has no room for {} times the unified_buffer_kib and "
                    "accumulator_rows that are planned for",
                    given));
  }
  const std::int64_t merged = groups.merged;
  if (merged < 0 || merged % groups.round != 0 || (merged > 0 && groups.images % merged != 0)) {
    return RoundsMisfit{"merged", merged,
                        "must be 0, or a multiple of round that divides the batch"};
  }
  return std::nullopt;
}

std::variant<Schedule, Obstacle> schedule_layers(const Segment& segment,
                                                 const MachineConfig& config,
                                                 const ScheduleChoices& choices) {
  const MachineConfig planned = with_capacities(config, choices.capacities);
  PartedSegment parts = in_forms(segment, choices.forms);
  const ImageGroups& groups = choices.groups;
  if (!divide_each_other(groups)) return Obstacle{0, {}};
  if (count_parts(groups) > kMostLayerParts) return Obstacle{0, {}};
  if (misfit_of_rounds(groups, choices.capacities, choices.order, config)) return Obstacle{0, {}};
  if (!groups.sizes.empty()) {
    const ImageDivision division(std::move(parts), groups.images);
    for (std::size_t i = 0; i < groups.sizes.size(); ++i) {
      if (groups.sizes[i] < groups.images && !division.divides(i)) return Obstacle{i, {}};
    }
    parts = division.in_groups(groups);
  }
  auto banded = in_bands(std::move(parts), choices.bands, groups.cut_inputs);
  if (const auto* layer = std::get_if<std::size_t>(&banded)) return Obstacle{*layer, {}};
  return Scheduler(std::get<PartedSegment>(banded), planned, choices).run();
}

}  // namespace weft::compiler
