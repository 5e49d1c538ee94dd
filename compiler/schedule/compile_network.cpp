#include "compiler/schedule/compile_network.h"

#include <algorithm>
#include <cstddef>
#include <functional>
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
#include "compiler/schedule/search/programs_alike.h"
#include "compiler/schedule/search/schedule_by_estimate.h"
#include "compiler/schedule/segment/schedule_segment.h"
#include "compiler/schedule/segment/smaller_machines.h"
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
std::optional<FoundChoices> found_for(const ScheduledSteps& steps, std::size_t step) {
  if (step >= steps.size()) return std::nullopt;
  const auto* scheduled = std::get_if<ScheduledSegment>(&steps[step]);
  if (scheduled == nullptr || !scheduled->choices || !scheduled->cycles) return std::nullopt;
  return FoundChoices{*scheduled->choices, *scheduled->cycles, scheduled->of_part};
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
    const std::optional<FoundChoices> found = found_for(like, all.steps.size());
    CostedSchedule costed = alike.schedule(segment, mapping, found ? &*found : nullptr);
    all.cycles =
        all.cycles && costed.cycles ? std::optional(*all.cycles + *costed.cycles) : std::nullopt;
    all.steps.emplace_back(ScheduledSegment{std::move(segment), std::move(costed.schedule),
                                            std::move(costed.choices), costed.cycles,
                                            std::move(costed.of_part)});
  }
  return all;
}

template <class Predicate>
bool any_segment(const ScheduledSteps& steps, const Predicate& predicate) {
  return std::ranges::any_of(steps, [&](const auto& step) {
    const auto* scheduled = std::get_if<ScheduledSegment>(&step);
    return scheduled != nullptr && std::invoke(predicate, scheduled->segment);
  });
}

bool cuts_patches(const Segment& segment) {
  return std::ranges::any_of(segment.sheets,
                             [](const Sheet& sheet) { return sheet.patches.has_value(); });
}

bool is_batch(const Segment& segment) {
  return batch_of(segment) > 1;
}

/// What the planner decided by itself, decided otherwise; nullopt: by itself again.
struct OtherDecision {
  std::optional<bool> MappingOptions::*decision;
  std::optional<bool> value;
};

std::vector<OtherDecision> other_decisions(const graph::Graph& graph, const MachineConfig& config,
                                           const MappingOptions& options,
                                           const ScheduledSteps& steps, bool is_short) {
  std::vector<OtherDecision> others;
  const auto add_if = [&](std::optional<bool> MappingOptions::*decision, bool value,
                          const auto& has_choice) {
    if (!(options.*decision) && any_segment(steps, has_choice)) others.push_back({decision, value});
  };
  add_if(&MappingOptions::packed_taps, false, cuts_patches);
  add_if(&MappingOptions::packed_taps, true, &Segment::could_pack);
  add_if(&MappingOptions::joined_lines, false, &Segment::has_joined_lines);
  if (joins_other_lines_for_batch(graph, config, options)) {
    add_if(&MappingOptions::joined_lines, true, is_batch);
  }
  add_if(&MappingOptions::line_slices, false, &Segment::has_line_slices);
  add_if(&MappingOptions::turned_results, false, &Segment::could_turn_back);
  add_if(&MappingOptions::turned_results, true, &Segment::could_turn);
  add_if(&MappingOptions::turned_values, true, &Segment::could_turn_values);
  add_if(&MappingOptions::line_borders, false, &Segment::has_line_borders);
  if (!is_short) return others;
  for (std::size_t i = 0, all = others.size(); i < all; ++i) {
    const bool is_new = i == 0 || others[i].decision != others[i - 1].decision;
    if (is_new) others.push_back({others[i].decision, std::nullopt});
  }
  return others;
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

/// A network and the best that is known of it, from which one decision after the other is changed.
class BestPlan {
 public:
  /// `best`: searched with `options`. All else must outlive this.
  BestPlan(const graph::Graph& graph, const MachineConfig& config, CompileOptions options,
           ProgramsAlike& alike, CostedSteps best, bool is_short)
      : graph_(graph),
        config_(config),
        options_(std::move(options)),
        alike_(alike),
        best_(std::move(best)),
        is_short_(is_short) {
    first_.emplace(graph_, config_, options_);
  }

  /// Tries each decision, and keeps those that save cycles. Where searches are short, a decision is
  /// tried again after others have won, since it may win only together with them.
  void improve(const std::vector<OtherDecision>& decisions) {
    std::size_t in_vain = 0;  // the last ones
    for (std::size_t i = 0; in_vain < decisions.size() && best_.cycles; ++i) {
      if (i >= decisions.size() && !is_short_) return;
      const OtherDecision& each = decisions[i % decisions.size()];
      const bool is_taken = options_.mapping.*each.decision == each.value;
      in_vain = !is_taken && save(each) ? 0 : in_vain + 1;
    }
  }

  const CompileOptions& options() const { return options_; }
  ScheduledSteps steps() { return std::move(best_.steps); }

 private:
  bool save(const OtherDecision& decision) {
    CompileOptions other = options_;
    other.mapping.*decision.decision = decision.value;
    // Only joined lines have slices and borders.
    const bool is_of_lines = decision.decision == &MappingOptions::line_slices ||
                             decision.decision == &MappingOptions::line_borders;
    if (is_of_lines && other.mapping.joined_lines == false) return false;
    Cycle own_first = 0;
    Cycle others_first = 0;
    try {
      std::tie(own_first, others_first) = first_->compare(other);
    } catch (const ConfigError&) {
      return false;  // it takes more room than the machine has
    }
    // Joined lines need longer rows, and only a search shows which images then fit the buffer.
    const bool decides_what_fits = other.mapping.joined_lines == false && !first_->fits_buffer();
    // Lines for images that share the fetches take longer for the one image that is compared.
    const bool is_for_batch = other.mapping.joined_lines == true;
    if (!is_short_ && !decides_what_fits && !is_for_batch &&
        others_first > own_first + own_first / kFarSlower) {
      return false;
    }
    CompileOptions searched = other;
    // What begins about as well is searched to the end.
    if (others_first > own_first + own_first / kSlower) searched.mapping.to_beat = best_.cycles;
    CostedSteps steps = schedule_steps(graph_, config_, searched, alike_, best_.steps);
    if (!steps.cycles || *steps.cycles >= *best_.cycles) return false;
    best_ = std::move(steps);
    options_ = std::move(other);
    first_.emplace(graph_, config_, options_);
    return true;
  }

  const graph::Graph& graph_;
  const MachineConfig& config_;
  CompileOptions options_;
  ProgramsAlike& alike_;
  CostedSteps best_;
  const bool is_short_;
  std::optional<FirstSchedules> first_;
};

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
  const std::vector<OtherDecision> others =
      other_decisions(network.graph, config, options.mapping, best.steps, is_short);
  BestPlan plan{network.graph, config, options, alike, std::move(best), is_short};
  plan.improve(others);
  network.choices = choices_in(plan.options().mapping);
  network.steps = plan.steps();
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
