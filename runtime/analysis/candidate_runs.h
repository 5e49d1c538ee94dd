// Why a layer runs as it does: the run of the network as the compiler chose, and its run with each
// other decision about the layer (compiler/schedule/layer_candidates.h), all simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/schedule_layers.h"
#include "runtime/network_run.h"
#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft::runtime {

/// A layer of a network that was scheduled and timed, and what that followed from.
struct ChosenLayer {
  const graph::Graph& graph;  // as it was imported or built
  const MachineConfig& machine;
  /// With which the network was searched; nullopt if it followed a plan. Then nothing is searched
  /// again either.
  std::optional<compiler::MappingOptions> mapping;
  const compiler::ScheduledNetwork& network;
  const NetworkRun& run;
  std::size_t layer = 0;  // of run.layers; not on the host
};

struct CandidateRun {
  std::vector<std::string> decisions;  // each alone leads to this run; none: as chosen
  std::optional<compiler::ScheduleChoices> choices;  // nullopt: of a product, or searched again
  Cycle total = 0;                                   // of the network
  std::vector<LayerRun> layers;                      // of the network
  std::size_t layer = 0;                             // the one that was asked about

  const LayerRun& asked() const { return layers[layer]; }
};

/// A decision that leads to no run.
struct Misfitting {
  std::string decision;
  std::string why;  // one line
};

struct CandidateRuns {
  std::string chosen;               // what was decided, in words
  std::vector<CandidateRun> runs;   // the chosen one, then the others by cycles and bytes
  std::vector<std::string> same;    // decisions that lead to the chosen program
  std::vector<Misfitting> misfits;  // the unified buffer is too small for them
  std::size_t not_timed = 0;        // decisions, because of `most_instructions`
};

/// After this many instructions no further candidate is timed: some seconds.
inline constexpr std::uint64_t kMostCandidateInstructions = 5'000'000;

/// `progress` is called with the share done.
CandidateRuns time_candidates(const ChosenLayer& chosen,
                              const std::function<void(double)>& progress,
                              std::uint64_t most_instructions = kMostCandidateInstructions);

}  // namespace weft::runtime
