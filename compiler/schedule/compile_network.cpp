#include "compiler/schedule/compile_network.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/blocks/contraction_blocks.h"
#include "compiler/blocks/map_folds.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/layers/line_bands.h"
#include "compiler/program/machine_step.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/first_schedules.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/schedule_segment.h"
#include "compiler/schedule/search/programs_alike.h"
#include "compiler/schedule/search/schedule_by_estimate.h"
#include "compiler/segments/segments.h"

namespace weft::compiler {

namespace {

/// Adds the tiles of a further part, which has other rows or other products.
void append(LayerTiles& tiles, const LayerTiles& part, bool cuts_rows) {
  if (tiles.m.empty()) {
    tiles = part;
  } else if (!cuts_rows) {
    tiles.products += part.products;
  } else {
    const std::int64_t before = tiles.m.back();
    tiles.m.pop_back();
    for (const std::int64_t row : part.m) tiles.m.push_back(before + row);
  }
}

/// The same for the weights in the rows of the array.
void append(std::optional<FoldMap>& folds, FoldMap part, bool cuts_rows) {
  if (!folds) {
    folds = std::move(part);
  } else if (!cuts_rows) {
    add_products(*folds, part);
  }
}

/// Channels of a body of the vector unit, part by part; none for the array.
std::vector<std::int64_t> lanes_of(const LayerBody& body) {
  std::vector<std::int64_t> lanes;
  std::visit(
      [&](const auto& layer) {
        if constexpr (requires { layer.parts; }) {
          for (const ElementwiseLayer& part : layer.parts) lanes.push_back(part.channels);
        } else if constexpr (requires { layer.channels; }) {
          lanes.push_back(layer.channels);
        }
      },
      body);
  return lanes;
}

/// Where the tiles of contractions begin and what lies in the array or the lanes, for those who
/// draw the program.
void add_drawn(const ScheduledSegment& scheduled, const MachineConfig& config, MachineStep& step) {
  const Schedule& schedule = scheduled.schedule;
  const PartedSegment whole = in_forms(scheduled.segment, schedule.forms);
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    if (!whole.layers[i].is_last) continue;
    step.layers[whole.layers[i].layer].lanes = lanes_of(whole.segment.layers[i].body);
  }
  const PartedSegment parts = in_parts(scheduled.segment, schedule);
  const Places places(config, parts.segment.sheets, schedule.buffer);
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    const LayerPart& part = parts.layers[i];
    const auto* layer = std::get_if<ContractionLayer>(&parts.segment.layers[i].body);
    if (layer == nullptr || !part.is_last) continue;
    LayerInfo& info = step.layers[part.layer];
    const Mapping& mapping = schedule.layers[i].mappings.front();
    const Chunks chunks(layer->walk, mapping.chunk_rows);
    append(info.tiles, ContractionBlocks(*layer, places, {}).tiles(chunks), part.cuts_rows);
    FoldMap folds = map_folds(*layer, mapping, places);
    folds.images = images_text(schedule, part.layer);
    append(info.folds, std::move(folds), part.cuts_rows);
  }
}

/// Other choices for a whole network are not searched if their first schedule takes longer than
/// that of the planner's own by more than this part of it.
constexpr Cycle kFarSlower = 8;
/// By more than this part, the search ends early if it begins badly.
constexpr Cycle kSlower = 50;
/// An estimate below this part of another one is taken for fewer cycles: both leave out the vector
/// unit.
constexpr double kFarLower = 0.8;

using ScheduledSteps = std::vector<std::variant<ScheduledSegment, HostStep>>;

/// Steps of a network, and their cycles if all were replayed.
struct CostedSteps {
  ScheduledSteps steps;
  std::optional<Cycle> cycles = 0;
};

/// What the search of a step found, if it was searched.
SearchedLike found_for(const ScheduledSteps& steps, std::size_t step) {
  if (step >= steps.size()) return {};
  const auto* scheduled = std::get_if<ScheduledSegment>(&steps[step]);
  if (scheduled == nullptr || !scheduled->choices || !scheduled->cycles) return {};
  return {&*scheduled->choices, *scheduled->cycles};
}

/// `alike`: the programs of all plans of the network. `like`: the network planned otherwise, whose
/// choices are tried as well.
CostedSteps schedule_steps(const graph::Graph& graph, const MachineConfig& config,
                           const CompileOptions& options, ProgramsAlike& alike,
                           const ScheduledSteps& like = {}) {
  CostedSteps all;
  auto parts = cut_into_segments(graph, config, options);
  MappingOptions mapping = options.mapping;
  mapping.programs = static_cast<std::size_t>(std::ranges::count_if(
      parts, [](const auto& part) { return std::holds_alternative<Segment>(part); }));
  for (auto& part : parts) {
    if (auto* host = std::get_if<HostStep>(&part)) {
      all.steps.emplace_back(std::move(*host));
      continue;
    }
    auto& segment = std::get<Segment>(part);
    CostedSchedule costed = alike.schedule(segment, mapping, found_for(like, all.steps.size()));
    all.cycles =
        all.cycles && costed.cycles ? std::optional(*all.cycles + *costed.cycles) : std::nullopt;
    all.steps.emplace_back(ScheduledSegment{std::move(segment), std::move(costed.schedule),
                                            std::move(costed.choices), costed.cycles});
  }
  return all;
}

template <class Predicate>
bool any_segment(const ScheduledSteps& steps, const Predicate& predicate) {
  return std::ranges::any_of(steps, [&](const auto& step) {
    const auto* scheduled = std::get_if<ScheduledSegment>(&step);
    return scheduled != nullptr && predicate(scheduled->segment);
  });
}

bool cuts_patches(const Segment& segment) {
  return std::ranges::any_of(segment.sheets,
                             [](const Sheet& sheet) { return sheet.patches.has_value(); });
}

bool could_turn(const Segment& segment) {
  return segment.could_turn;
}

bool could_turn_back(const Segment& segment) {
  return segment.could_turn_back;
}

bool could_turn_values(const Segment& segment) {
  return segment.could_turn_values;
}

bool has_joined_lines(const Segment& segment) {
  return segment.has_joined_lines;
}

bool has_line_borders(const Segment& segment) {
  return segment.has_line_borders;
}

bool has_line_slices(const Segment& segment) {
  return segment.has_line_slices;
}

bool is_batch(const Segment& segment) {
  return batch_of(segment) > 1;
}

/// What the planner decided by itself, decided otherwise.
std::vector<MappingOptions> other_plans(const graph::Graph& graph, const MachineConfig& config,
                                        const MappingOptions& options,
                                        const ScheduledSteps& steps) {
  std::vector<MappingOptions> plans;
  if (!options.packed_taps && any_segment(steps, cuts_patches)) {
    plans.push_back(options);
    plans.back().packed_taps = false;
  }
  if (!options.joined_lines && any_segment(steps, has_joined_lines)) {
    plans.push_back(options);
    plans.back().joined_lines = false;
  }
  if (!options.joined_lines && any_segment(steps, is_batch) &&
      joins_other_lines_for_batch(graph, config, options)) {
    plans.push_back(options);
    plans.back().joined_lines = true;
  }
  if (!options.line_slices && any_segment(steps, has_line_slices)) {
    plans.push_back(options);
    plans.back().line_slices = false;
  }
  for (const bool turned : {false, true}) {
    if (options.turned_results || !any_segment(steps, turned ? could_turn : could_turn_back)) {
      continue;
    }
    plans.push_back(options);
    plans.back().turned_results = turned;
  }
  if (!options.turned_values && any_segment(steps, could_turn_values)) {
    plans.push_back(options);
    plans.back().turned_values = true;
  }
  if (!options.line_borders && any_segment(steps, has_line_borders)) {
    plans.push_back(options);
    plans.back().line_borders = false;
  }
  return plans;
}

NetworkChoices choices_in(const MappingOptions& options) {
  return {options.packed_taps,
          options.joined_lines,
          options.line_borders,
          options.line_slices,
          options.turned_results,
          options.turned_values,
          options.depthwise_on_vector_unit};
}

/// The estimated cycles of all steps; nullopt if one is a product alone.
std::optional<double> estimate_of(const ScheduledSteps& steps, const MachineConfig& config) {
  double cycles = 0;
  for (const auto& step : steps) {
    const auto* scheduled = std::get_if<ScheduledSegment>(&step);
    if (scheduled == nullptr) continue;
    if (is_product(scheduled->schedule)) return std::nullopt;
    cycles += estimated_cycles(scheduled->segment, scheduled->schedule, config);
  }
  return cycles;
}

/// Without a search, a batch takes lines joined for images that share the fetches if their estimate
/// is far lower.
void consider_joined_lines(ScheduledNetwork& network, CostedSteps& best,
                           const MachineConfig& config, const CompileOptions& options,
                           ProgramsAlike& alike) {
  if (options.mapping.joined_lines || !any_segment(best.steps, is_batch) ||
      !joins_other_lines_for_batch(network.graph, config, options.mapping)) {
    return;
  }
  CompileOptions other = options;
  other.mapping.joined_lines = true;
  CostedSteps steps = schedule_steps(network.graph, config, other, alike);
  const std::optional<double> own = estimate_of(best.steps, config);
  const std::optional<double> joined = estimate_of(steps.steps, config);
  if (!own || !joined || *joined >= *own * kFarLower) return;
  best = std::move(steps);
  network.choices = choices_in(other.mapping);
}

}  // namespace

ScheduledNetwork schedule_network(graph::Graph graph, const MachineConfig& config,
                                  const CompileOptions& options) {
  ScheduledNetwork network;
  network.graph = std::move(graph);
  network.choices = choices_in(options.mapping);
  ProgramsAlike alike(config);
  CostedSteps best = schedule_steps(network.graph, config, options, alike);
  if (options.mapping.effort == SearchEffort::kNone) {
    consider_joined_lines(network, best, config, options, alike);
    network.steps = std::move(best.steps);
    return network;
  }
  // Smaller machines may take other choices, and theirs must not be left out.
  const bool is_short = !any_segment(best.steps, [&](const Segment& segment) {
    return !tries_smaller_machines(segment, config, options.mapping);
  });
  FirstSchedules first(network.graph, config, options);
  for (MappingOptions& plan : other_plans(network.graph, config, options.mapping, best.steps)) {
    if (!best.cycles) break;
    // Slices, and then borders, are left out of the joined lines that have won.
    if (!options.mapping.line_slices && plan.line_slices == false) {
      plan.joined_lines = network.choices.joined_lines;
      if (plan.joined_lines == false) continue;
    }
    if (!options.mapping.line_borders && plan.line_borders == false) {
      plan.joined_lines = network.choices.joined_lines;
      plan.line_slices = network.choices.line_slices;
      if (plan.joined_lines == false) continue;
    }
    CompileOptions other = options;
    other.mapping = plan;
    Cycle own_first = 0;
    Cycle others_first = 0;
    try {
      std::tie(own_first, others_first) = first.compare(other);
    } catch (const ConfigError&) {
      continue;  // it takes more room than the machine has
    }
    // Joined lines need longer rows, and only a search shows which images then fit the buffer.
    const bool decides_what_fits = plan.joined_lines == false && !first.fits_buffer();
    // Lines for images that share the fetches take longer for the one image that is compared.
    const bool is_for_batch = plan.joined_lines == true;
    if (!is_short && !decides_what_fits && !is_for_batch &&
        others_first > own_first + own_first / kFarSlower) {
      continue;
    }
    // What begins about as well is searched to the end.
    if (others_first > own_first + own_first / kSlower) other.mapping.to_beat = best.cycles;
    CostedSteps steps = schedule_steps(network.graph, config, other, alike, best.steps);
    if (!steps.cycles || *steps.cycles >= *best.cycles) continue;
    best = std::move(steps);
    network.choices = choices_in(plan);
  }
  network.steps = std::move(best.steps);
  return network;
}

MachineStep program_of(const ScheduledSegment& scheduled, const MachineConfig& config,
                       std::size_t most) {
  if (is_product(scheduled.schedule)) {
    return product_step(scheduled.segment, scheduled.schedule, config, most);
  }
  ProgramSink sink;
  MachineStep step = emit_segment(scheduled.segment, scheduled.schedule, config, most, sink);
  sink.finish(step);
  add_drawn(scheduled, config, step);
  step.schedule = scheduled.schedule;
  return step;
}

std::size_t most_instructions(std::uint64_t memory_bytes) {
  return std::min<std::uint64_t>(memory_bytes / kBytesPerInstruction, kMaxInstructions);
}

NetworkProgram write_programs(ScheduledNetwork network, const MachineConfig& config,
                              std::uint64_t memory_bytes) {
  NetworkProgram program;
  program.graph = std::move(network.graph);
  std::uint64_t memory = memory_bytes;
  for (auto& part : network.steps) {
    if (auto* host = std::get_if<HostStep>(&part)) {
      program.steps.emplace_back(std::move(*host));
      continue;
    }
    MachineStep step =
        program_of(std::get<ScheduledSegment>(part), config, most_instructions(memory));
    memory -= step.program.code.size() * kBytesPerInstruction;
    program.steps.emplace_back(std::move(step));
  }
  return program;
}

NetworkProgram compile_network(graph::Graph graph, const MachineConfig& config,
                               const CompileOptions& options) {
  return write_programs(schedule_network(std::move(graph), config, options), config,
                        options.memory_bytes);
}

}  // namespace weft::compiler
