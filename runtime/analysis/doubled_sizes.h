// What the mapper cannot change, and what it would win: the run of a network with one buffer of the
// machine, or the batch, twice as large. Each is compiled again and simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/analysis/candidate_runs.h"
#include "sim/timing/timeline.h"

namespace weft::runtime {

/// The run with one size doubled. A doubled batch has twice the work.
struct DoubledSize {
  std::string name;  // a key of the machine, or "batch"
  std::string from;
  std::string to;
  Cycle total = 0;             // of the network
  std::optional<Cycle> layer;  // of the layer; nullopt if it has no row of its own any more
  bool twice_the_work = false;

  /// Cycles that are saved; for twice the work, against two runs.
  Cycle saved(Cycle total_before) const { return (twice_the_work ? 2 : 1) * total_before - total; }
};

/// The same network for twice the batch.
struct LargerBatch {
  std::int64_t batch = 1;  // now
  std::function<graph::Graph()> twice;
};

/// Throws as schedule() and time_network() do, except for sizes that are impossible, which are left
/// out. The layer must have been searched (ChosenLayer::mapping).
std::vector<DoubledSize> doubled_sizes(const ChosenLayer& chosen, const LargerBatch& batch,
                                       const std::function<void(double)>& progress);

}  // namespace weft::runtime
