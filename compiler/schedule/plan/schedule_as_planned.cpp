#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"
#include "compiler/blocks/places.h"
#include "compiler/layers/layer_parts.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/plan/network_plan.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/product/refuse_plan.h"
#include "compiler/segments/segments.h"

namespace weft::compiler {
namespace {

/// The choices of a program's plan, each checked.
class PlannedChoices {
 public:
  PlannedChoices(const Segment& segment, const MachineConfig& config, const LayersPlan& plan,
                 std::size_t program)
      : segment_(segment),
        machine_(config),
        config_(with_capacities(config, plan.capacities)),
        plan_(plan),
        program_(program),
        batch_(batch_of(segment)) {
    check_capacities(config);
  }

  ScheduleChoices read() const {
    ScheduleChoices choices;
    choices.capacities = plan_.capacities;
    choices.order = plan_.order;
    choices.fit = plan_.fit;
    choices.buffer = buffer();
    for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
      choices.forms.push_back(form(i));
      choices.chunk_rows.push_back(chunk_rows(i));
      choices.buffered_tiles.push_back(buffered_tiles(i));
    }
    choices.groups = groups(choices.forms);
    choices.bands = bands(choices);
    return choices;
  }

 private:
  void check_capacities(const MachineConfig& machine) const {
    check("unified_buffer_kib", plan_.capacities.unified_buffer_kib, machine.unified_buffer_kib);
    check("accumulator_rows", plan_.capacities.accumulator_rows, machine.accumulator_rows);
    check("weight_fifo_tiles", plan_.capacities.weight_fifo_tiles, machine.weight_fifo_tiles);
    if (config_.unified_buffer_rows() > 0) return;
    refuse(program_, "unified_buffer_kib", config_.unified_buffer_kib,
           fmt::format("a row has {} bytes", config_.row_bytes()));
  }
  void check(std::string_view field, std::uint32_t planned, std::uint32_t there) const {
    if (planned >= 1 && planned <= there) return;
    refuse(program_, field, planned, fmt::format("must be 1 to {}, what the machine has", there));
  }

  BufferParts buffer() const {
    const std::uint32_t most = most_tile_slots(config_);
    if (plan_.tile_slots > most) {
      refuse(program_, "tile_slots", plan_.tile_slots,
             fmt::format("the most is {}, half of the unified buffer", most));
    }
    const std::uint64_t rows = usable_rows(config_) - plan_.tile_slots * tile_slot_rows(config_);
    if (plan_.staging_rows > rows) {
      refuse(program_, "staging_rows", plan_.staging_rows,
             fmt::format("the unified buffer that is planned for has {} rows{}", rows,
                         plan_.tile_slots > 0 ? " beside the slots for tiles" : ""));
    }
    return with_staging(config_, needed_margin(segment_), plan_.staging_rows, plan_.tile_slots);
  }

  std::uint32_t buffered_tiles(std::size_t layer) const {
    const LayerPlan& given = plan_.layers[layer];
    if (given.buffered_tiles == 0) return 0;
    if (!has_constant_weights(segment_.layers[layer])) {
      refuse(given.layer, "buffered_tiles", given.buffered_tiles,
             "must be 0 for a layer without constant weights");
    }
    if (plan_.tile_slots == 0) {
      refuse(given.layer, "buffered_tiles", given.buffered_tiles, "the program has no tile_slots");
    }
    if (given.buffered_tiles > kTileShares) {
      refuse(given.layer, "buffered_tiles", given.buffered_tiles,
             fmt::format("must be 0 to {}, of every {} tiles", kTileShares, kTileShares));
    }
    return given.buffered_tiles;
  }

  std::size_t form(std::size_t layer) const {
    const LayerPlan& given = plan_.layers[layer];
    const std::size_t last = segment_.layers[layer].others.size();
    if (given.form > last) {
      refuse(given.layer, "form", given.form,
             fmt::format("the last form of the layer is {}", last));
    }
    return given.form;
  }

  std::int64_t chunk_rows(std::size_t layer) const {
    const LayerPlan& given = plan_.layers[layer];
    const auto most = accumulator_rows(segment_.layers[layer], config_);
    if (given.chunk_rows == 0 || (most && given.chunk_rows <= *most)) return given.chunk_rows;
    refuse(given.layer, "chunk_rows", given.chunk_rows,
           most ? fmt::format("the accumulators that are planned for have {} for it",
                              counted(static_cast<std::uint64_t>(*most), "row"))
                : "must be 0 for a layer that cannot use the array");
  }

  ImageGroups whole() const {
    if (plan_.cut_inputs && !has_bands()) {
      refuse(program_, "cut_inputs", true, "all layers take the whole batch, and all lines");
    }
    if (plan_.round != 0) refuse(program_, "round", plan_.round, "all layers take the batch");
    checked({batch_, {}, false, 0, plan_.rounds_at_once, plan_.merged});
    ImageGroups groups;
    groups.cut_inputs = plan_.cut_inputs;
    return groups;
  }

  void check_round() const {
    if (plan_.round == 0) return;
    if (batch_ % plan_.round != 0) {
      refuse(program_, "round", plan_.round, fmt::format("must divide the batch of {}", batch_));
    }
    for (const LayerPlan& layer : plan_.layers) {
      if (plan_.round % layer.images == 0 || layer.images % plan_.round == 0) continue;
      refuse(program_, "round", plan_.round,
             fmt::format("must divide the {} of {}, or be a multiple of them",
                         counted(static_cast<std::uint64_t>(layer.images), "image"),
                         printable(layer.layer)));
    }
  }
  ImageGroups checked(ImageGroups groups) const {
    const auto misfit = misfit_of_rounds(groups, plan_.capacities, plan_.order, machine_);
    if (misfit) refuse(program_, misfit->field, misfit->value, misfit->why);
    return groups;
  }

  bool has_bands() const {
    return std::ranges::any_of(plan_.layers, [](const LayerPlan& each) { return each.bands > 1; });
  }

  LineBands bands(const ScheduleChoices& choices) const {
    LineBands bands;
    for (const LayerPlan& layer : plan_.layers) {
      if (layer.keep_halo && layer.bands == 1) {
        refuse(layer.layer, "keep_halo", true, "the layer takes all lines at once");
      }
      bands.counts.push_back(layer.bands);
      bands.keeps_halo.push_back(layer.keep_halo);
    }
    if (!has_bands()) return {};
    const std::vector<std::int64_t> most =
        most_bands_of_layers(without_bands(segment_, choices), plan_.layers.size());
    for (std::size_t i = 0; i < most.size(); ++i) {
      const LayerPlan& layer = plan_.layers[i];
      if (layer.bands <= most[i]) continue;
      refuse(layer.layer, "bands", layer.bands,
             layer.images > 1 ? fmt::format("the layer takes {} images at once", layer.images)
             : most[i] == 1   ? "the lines of the layer cannot be divided"
                              : fmt::format("the most is {}, the lines of its result", most[i]));
    }
    return bands;
  }

  ImageGroups groups(const std::vector<std::size_t>& forms) const {
    const auto takes_all = [&](const LayerPlan& layer) { return layer.images == batch_; };
    if (std::ranges::all_of(plan_.layers, takes_all)) return whole();
    const ImageDivision division(in_forms(segment_, forms), batch_);
    ImageGroups groups = {batch_,      {}, plan_.cut_inputs, plan_.round, plan_.rounds_at_once,
                          plan_.merged};
    for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
      const LayerPlan& layer = plan_.layers[i];
      const bool last = i + 1 == plan_.layers.size();
      const std::int64_t next = last ? batch_ : plan_.layers[i + 1].images;
      if (layer.images > next || next % layer.images != 0) {
        refuse(layer.layer, "images", layer.images,
               last ? fmt::format("must divide the batch of {}", next)
                    : fmt::format("must divide the {} images of {}", next,
                                  printable(plan_.layers[i + 1].layer)));
      }
      if (layer.images < batch_ && !division.divides(i)) {
        refuse(layer.layer, "images", layer.images,
               fmt::format("the layer cannot be divided; it takes {}", batch_));
      }
      groups.sizes.push_back(layer.images);
    }
    check_round();
    groups = checked(std::move(groups));
    if (const std::int64_t parts = count_parts(groups); parts > kMostLayerParts) {
      const LayerPlan& first = plan_.layers.front();
      refuse(first.layer, "images", first.images,
             fmt::format("the batch would be cut into {} parts of layers, and the most is {}",
                         parts, kMostLayerParts));
    }
    return groups;
  }

  const Segment& segment_;
  const MachineConfig& machine_;
  const MachineConfig config_;  // for which the program is planned
  const LayersPlan& plan_;
  const std::size_t program_;  // its number in the plan
  const std::int64_t batch_;
};

/// The network has other layers than the plan.
struct OtherLayers : InputError {
  using InputError::InputError;
};

void check_layers(const Segment& segment, const LayersPlan& plan) {
  const std::size_t both = std::min(segment.layers.size(), plan.layers.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (plan.layers[i].layer == segment.layers[i].name) continue;
    throw OtherLayers(fmt::format("layer {}: here the network has layer {}",
                                  printable(plan.layers[i].layer),
                                  printable(segment.layers[i].name)));
  }
  if (plan.layers.size() > both) {
    throw OtherLayers(
        fmt::format("layer {}: the program ends before it", printable(plan.layers[both].layer)));
  }
  if (segment.layers.size() > both) {
    throw OtherLayers(fmt::format("layer {} is missing", printable(segment.layers[both].name)));
  }
}

ScheduledSegment as_planned(Segment segment, const MachineConfig& config, const ProductPlan& plan,
                            std::size_t program) {
  if (!only_product(segment, config)) {
    throw OtherLayers(
        fmt::format("programs[{}]: is no lone product, so it has no field product", program));
  }
  Schedule schedule = planned_product(segment, config, plan);
  return {std::move(segment), std::move(schedule), std::nullopt};
}

ScheduledSegment as_planned(Segment segment, const MachineConfig& config, const LayersPlan& plan,
                            std::size_t program) {
  if (only_product(segment, config)) {
    throw OtherLayers(fmt::format("programs[{}]: is the product {}, so its only field is product",
                                  program, printable(segment.layers.front().name)));
  }
  check_layers(segment, plan);
  ScheduleChoices choices = PlannedChoices(segment, config, plan, program).read();
  auto scheduled = schedule_layers(segment, config, choices);
  if (const auto* obstacle = std::get_if<Obstacle>(&scheduled)) {
    const Misfit& misfit = obstacle->misfit;
    const std::string layer = printable(segment.layers[obstacle->layer].name);
    refuse(program, "staging_rows", plan.staging_rows,
           misfit.rows == 0
               ? fmt::format("leaves no room for the border of layer {}'s image", layer)
               : fmt::format("too small for {} of layer {}, which needs {}", misfit.what, layer,
                             misfit.rows));
  }
  return {std::move(segment), std::get<Schedule>(std::move(scheduled)), std::move(choices)};
}

// --- Choices of all layers ---

CompileOptions options_of(const NetworkChoices& choices, bool calibrated) {
  CompileOptions options;
  options.calibrated = calibrated;
  options.mapping.packed_taps = choices.packed_taps;
  options.mapping.joined_lines = choices.joined_lines;
  options.mapping.line_borders = choices.line_borders;
  options.mapping.line_slices = choices.line_slices;
  options.mapping.turned_results = choices.turned_results;
  options.mapping.turned_values = choices.turned_values;
  options.mapping.depthwise_on_vector_unit = choices.depthwise_on_vector_unit;
  return options;
}

ScheduledNetwork follow(const graph::Graph& graph, const MachineConfig& config,
                        const NetworkPlan& plan, bool calibrated) {
  ScheduledNetwork network;
  network.choices = plan.choices;
  std::size_t program = 0;
  for (auto& part : cut_into_segments(graph, config, options_of(plan.choices, calibrated))) {
    if (auto* host = std::get_if<HostStep>(&part)) {
      network.steps.emplace_back(std::move(*host));
      continue;
    }
    auto& segment = std::get<Segment>(part);
    if (program == plan.programs.size()) {
      throw OtherLayers(fmt::format("layer {} is missing, with its program",
                                    printable(segment.layers.front().name)));
    }
    network.steps.emplace_back(std::visit(
        [&](const auto& each) { return as_planned(std::move(segment), config, each, program); },
        plan.programs[program]));
    ++program;
  }
  if (program < plan.programs.size()) {
    throw OtherLayers(
        fmt::format("programs has {}, and the network becomes {}", plan.programs.size(), program));
  }
  return network;
}

std::string_view choice_text(const std::optional<bool>& choice) {
  return !choice ? "null" : *choice ? "true" : "false";
}

bool suits(const graph::Graph& graph, const MachineConfig& config, const NetworkPlan& plan,
           bool calibrated) {
  try {
    follow(graph, config, plan, calibrated);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// "joined_lines = false: the layers of the plan suit null" if one other choice of all layers would
/// make the plan a good one, else empty. Such a choice changes which layers there are, so that
/// `plan` fails at some layer that nobody edited.
std::string other_choice(const graph::Graph& graph, const MachineConfig& config,
                         const NetworkPlan& plan, bool calibrated) {
  for (const auto& [name, field] : kNetworkChoices) {
    for (const std::optional<bool> value :
         {std::optional<bool>(), std::optional(true), std::optional(false)}) {
      if (plan.choices.*field == value) continue;
      NetworkPlan other = plan;
      other.choices.*field = value;
      if (!suits(graph, config, other, calibrated)) continue;
      return fmt::format("{} = {}: the layers of the plan suit {}", name,
                         choice_text(plan.choices.*field), choice_text(value));
    }
  }
  return "";
}

}  // namespace

ScheduledNetwork schedule_as_planned(graph::Graph graph, const MachineConfig& config,
                                     const NetworkPlan& plan, bool calibrated) {
  ScheduledNetwork network;
  try {
    network = follow(graph, config, plan, calibrated);
  } catch (const OtherLayers& error) {
    const std::string choice = other_choice(graph, config, plan, calibrated);
    if (choice.empty()) throw;
    throw InputError(fmt::format("{} ({})", choice, error.what()));
  }
  network.graph = std::move(graph);
  return network;
}

}  // namespace weft::compiler
