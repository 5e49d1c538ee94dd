// The simulated machine as a backend of training. A graph is compiled once; the network's learnt
// constants enter as weights that are made when a run asks for them, so that each run has those of
// its step. What the machine cannot run falls to the host, as in any network.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/network_runner.h"
#include "models/training/executor.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// What the machine took for one run of a graph; the same for each run.
struct PassCost {
  Cycle total = 0;
  CycleLedger ledger;
  std::vector<std::string> host_layers;  // "node 'x' (Op): why", in their order
};

class SimBackend {
 public:
  SimBackend(const MachineConfig& machine, const SimulateOptions& options)
      : machine_(machine), options_(options) {}

  /// As training::Backend. Throws InputError, ConfigError; the executor SimulationError too. The
  /// backend must live as long as the executor.
  training::Executor prepare(training::PassGraph graph);

  /// Of the graphs that have run. The first run of each is simulated; later ones of engine fast
  /// compute values alone, since no cycle depends on a value.
  const std::map<training::Pass, PassCost>& costs() const { return costs_; }
  /// Of one step, gradients and update together.
  PassCost step_cost() const;

 private:
  MachineConfig machine_;
  SimulateOptions options_;
  std::map<training::Pass, PassCost> costs_;
};

}  // namespace weft::cli
