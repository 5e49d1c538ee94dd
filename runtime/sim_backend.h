// The simulated machine as a backend of training. Each graph is compiled once. Its learned
// constants are read anew in each run, so each step uses its own weights. As in any network, the
// host computes what the machine cannot run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/mapping/bound/bound.h"
#include "models/training/executor.h"
#include "runtime/network_runner.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

/// The cost of one run of a graph on the machine; every run costs the same.
struct PassCost {
  Cycle total = 0;
  CycleLedger ledger;
  compiler::Bound bound = {};            // of several graphs: the sum, by that of the largest
  std::vector<std::string> host_layers;  // "node 'x' (Op): why", in graph order
};

class SimBackend {
 public:
  SimBackend(const MachineConfig& machine, const SimulateOptions& options)
      : machine_(machine), options_(options) {}

  /// Implements training::Backend. Throws InputError, ConfigError; the executor throws
  /// SimulationError too. The backend must outlive the executor.
  training::Executor prepare(training::PassGraph graph);

  /// The costs of the graphs that have run. The first run of each is simulated. Later runs of
  /// engine fast compute only values, since no cycle depends on a value.
  const std::map<training::PassKind, PassCost>& costs() const { return costs_; }
  /// The cost of one step: gradients and update.
  PassCost step_cost() const;

 private:
  MachineConfig machine_;
  SimulateOptions options_;
  std::map<training::PassKind, PassCost> costs_;
};

}  // namespace weft::runtime
