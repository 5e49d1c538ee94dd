#include "runtime/analysis/candidate_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"
#include "compiler/schedule/layer_candidates.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "runtime/run_bounds.h"

namespace weft::runtime {
namespace {

using compiler::LayerCandidate;
using compiler::MappingOptions;
using compiler::NetworkChoices;
using compiler::Schedule;
using compiler::ScheduledNetwork;
using compiler::ScheduledSegment;

/// A program of a network, and the first of its rows in the layer table.
struct ProgramRows {
  const ScheduledSegment* program = nullptr;
  std::size_t first = 0;

  std::size_t count() const { return program->segment.layers.size(); }
};

/// The program that runs row `layer` of the layer table.
ProgramRows program_of_row(const ScheduledNetwork& network, std::size_t layer) {
  std::size_t first = 0;
  for (const auto& step : network.steps) {
    const auto* program = std::get_if<ScheduledSegment>(&step);
    const std::size_t count = program == nullptr ? 1 : program->segment.layers.size();
    if (layer < first + count) return {program, first};
    first += count;
  }
  throw SimulationError("a layer without a program; this is a bug of weft");
}

std::string misfit_text(const compiler::Segment& segment, const compiler::Obstacle& obstacle) {
  const compiler::Misfit& misfit = obstacle.misfit;
  if (misfit.rows == 0) return "no room is left for the border of an image";
  return fmt::format("layer {} needs {} for {} at once",
                     printable(segment.layers[obstacle.layer].name), counted(misfit.rows, "row"),
                     misfit.what);
}

/// What the planner decided for the whole network, decided otherwise.
struct OtherOptions {
  std::string decision;
  MappingOptions mapping;
};

class CandidateTiming {
 public:
  CandidateTiming(const ChosenLayer& chosen, const std::function<void(double)>& progress,
                  std::uint64_t most_instructions)
      : chosen_(chosen),
        rows_(program_of_row(chosen.network, chosen.layer)),
        progress_(progress),
        left_(most_instructions) {
    alone_.steps.emplace_back(*rows_.program);
    needed_ = chosen.run.programs == 0 ? 0 : chosen.run.instructions / chosen.run.programs;
  }

  CandidateRuns run() {
    found_.chosen = decisions_text(*rows_.program, chosen_.layer - rows_.first);
    found_.runs.push_back(
        {{}, rows_.program->choices, chosen_.run.total, chosen_.run.layers, chosen_.layer});
    const auto candidates =
        layer_candidates(*rows_.program, chosen_.machine, chosen_.layer - rows_.first);
    const std::vector<OtherOptions> others = other_options();
    const auto count = static_cast<double>(candidates.size() + others.size());
    double done = 0;
    for (const LayerCandidate& candidate : candidates) {
      add(candidate);
      progress_(++done / count);
    }
    for (OtherOptions other : others) {
      other.mapping.progress = [&](double share) { progress_((done + share) / count); };
      add(other);
      progress_(++done / count);
    }
    std::ranges::stable_sort(found_.runs.begin() + 1, found_.runs.end(), {}, order_of);
    return std::move(found_);
  }

 private:
  /// Fewer cycles come first, then fewer bytes: those of the layer, then those of the network.
  static std::tuple<Cycle, std::uint64_t, std::uint64_t> order_of(const CandidateRun& run) {
    const auto moved = [](const LayerRun& layer) {
      return layer.info.weight_bytes + layer.info.input_bytes + layer.info.output_bytes;
    };
    std::uint64_t all = 0;
    for (const LayerRun& layer : run.layers) all += moved(layer);
    return {run.total, moved(run.asked()), all};
  }

  ScheduledSegment& program() { return std::get<ScheduledSegment>(alone_.steps.front()); }

  bool has_time_for(std::uint64_t instructions) {
    if (instructions <= left_) return true;
    ++found_.not_timed;
    return false;
  }

  void add(const LayerCandidate& candidate) {
    if (const auto* obstacle = std::get_if<compiler::Obstacle>(&candidate.schedule)) {
      found_.misfits.push_back(
          {candidate.decision, misfit_text(rows_.program->segment, *obstacle)});
      return;
    }
    const auto& schedule = std::get<Schedule>(candidate.schedule);
    if (schedule == rows_.program->schedule) {
      found_.same.push_back(candidate.decision);
      return;
    }
    const auto known = std::ranges::find(schedules_, schedule);
    if (known != schedules_.end()) {
      const auto index = static_cast<std::size_t>(known - schedules_.begin());
      found_.runs[index + 1].decisions.push_back(candidate.decision);
      return;
    }
    if (!has_time_for(needed_)) return;
    program().schedule = schedule;
    program().choices = candidate.choices;
    const NetworkRun run = time_network_on(alone_, chosen_.machine, chosen_.machine);
    left_ -= std::min(left_, run.instructions);
    needed_ = run.instructions;
    schedules_.push_back(schedule);
    found_.runs.push_back({{candidate.decision},
                           candidate.choices,
                           total_with(run),
                           layers_with(run),
                           chosen_.layer});
  }

  /// The network's cycles, with another run of the layer's program. Programs follow one another,
  /// and the cycles of a program's layers sum to the program's.
  Cycle total_with(const NetworkRun& program) const {
    Cycle total = chosen_.run.total + program.total;
    for (std::size_t i = 0; i < rows_.count(); ++i) {
      total -= chosen_.run.layers[rows_.first + i].cycles;
    }
    return total;
  }
  std::vector<LayerRun> layers_with(const NetworkRun& program) const {
    std::vector<LayerRun> layers = chosen_.run.layers;
    for (std::size_t i = 0; i < rows_.count(); ++i) {
      const compiler::WorkBound bound = layers[rows_.first + i].bound;  // of the same nodes
      layers[rows_.first + i] = program.layers[i];
      layers[rows_.first + i].bound = bound;
    }
    return layers;
  }

  // --- The whole network, searched again ---

  std::vector<OtherOptions> other_options() const {
    std::vector<OtherOptions> all;
    if (!chosen_.mapping) return all;
    const auto& layer = rows_.program->segment.layers[chosen_.layer - rows_.first];
    const auto add = [&](const char* decision, std::optional<bool> NetworkChoices::*choice,
                         std::optional<bool> MappingOptions::*option, bool value) {
      if (chosen_.network.choices.*choice == value) return;
      all.push_back({decision, *chosen_.mapping});
      all.back().mapping.*option = value;
    };
    const auto* product = std::get_if<compiler::ContractionLayer>(&layer.body);
    if (product != nullptr && (product->packed_taps > 1 || product->walk.taps() > 1)) {
      const bool packed = product->packed_taps > 1;
      add(packed ? "all taps apart" : "taps packed where possible", &NetworkChoices::packed_taps,
          &MappingOptions::packed_taps, !packed);
    }
    if (rows_.program->segment.has_joined_lines) {
      add("all lines apart", &NetworkChoices::joined_lines, &MappingOptions::joined_lines, false);
    }
    if (rows_.program->segment.has_line_borders) {
      add("no borders between lines", &NetworkChoices::line_borders, &MappingOptions::line_borders,
          false);
    }
    if (rows_.program->segment.has_line_slices) {
      add("no slices of channels", &NetworkChoices::line_slices, &MappingOptions::line_slices,
          false);
    }
    const compiler::Segment& segment = rows_.program->segment;
    for (const bool turned : {false, true}) {
      if (!(turned ? segment.could_turn : segment.could_turn_back)) continue;
      add(turned ? "all products turned" : "no product turned", &NetworkChoices::turned_results,
          &MappingOptions::turned_results, turned);
    }
    if (segment.could_turn_values || segment.has_turned_values) {
      add(segment.has_turned_values ? "no value turned" : "values turned where it saves cycles",
          &NetworkChoices::turned_values, &MappingOptions::turned_values,
          !segment.has_turned_values);
    }
    return all;
  }

  void add(const OtherOptions& other) {
    if (!has_time_for(chosen_.run.instructions)) return;
    NetworkRun run;
    try {
      const NetworkSchedule scheduled =
          schedule(chosen_.graph, chosen_.machine, nullptr, other.mapping);
      run = time_network_on(scheduled.network, chosen_.machine, chosen_.machine);
      add_layer_bounds(run, scheduled.network, chosen_.machine);
    } catch (const ConfigError& error) {
      found_.misfits.push_back({other.decision, error.what()});
      return;
    }
    left_ -= std::min(left_, run.instructions);
    const std::string& name = chosen_.run.layers[chosen_.layer].info.name;
    const auto asked =
        std::ranges::find(run.layers, name, [](const LayerRun& layer) { return layer.info.name; });
    if (asked == run.layers.end()) return;  // merged with another layer
    const auto index = static_cast<std::size_t>(asked - run.layers.begin());
    if (is_same(run)) {
      found_.same.push_back(other.decision);
    } else {
      found_.runs.push_back({{other.decision}, {}, run.total, std::move(run.layers), index});
    }
  }

  /// Schedules of two searches have their own segments, so they are compared by what they do.
  bool is_same(const NetworkRun& run) const {
    const NetworkRun& chosen = chosen_.run;
    return run.total == chosen.total && run.ledger == chosen.ledger &&
           run.traffic == chosen.traffic && run.instructions == chosen.instructions;
  }

  const ChosenLayer& chosen_;
  const ProgramRows rows_;
  const std::function<void(double)>& progress_;
  std::uint64_t left_;               // instructions
  std::uint64_t needed_ = 0;         // by a candidate, about
  ScheduledNetwork alone_;           // the program
  std::vector<Schedule> schedules_;  // of found_.runs but the chosen one
  CandidateRuns found_;
};

}  // namespace

CandidateRuns time_candidates(const ChosenLayer& chosen,
                              const std::function<void(double)>& progress,
                              std::uint64_t most_instructions) {
  return CandidateTiming(chosen, progress, most_instructions).run();
}

}  // namespace weft::runtime
