// The simulated machine as a backend of training. Each graph is compiled once. Its learned
// constants are read anew in each run, so each step uses its own weights. A new loss scale needs a
// new graph, but its schedule is not searched again. As in any network, the host computes what the
// machine cannot run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/mapping/bound/bound.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/plan/network_plan.h"
#include "models/training/executor.h"
#include "runtime/compile.h"
#include "runtime/network_runner.h"
#include "sim/config/machine_config.h"
#include "sim/timing/critical_path.h"

namespace weft::runtime {

/// The cost of one run of a graph on the machine; every run costs the same.
struct PassCost {
  Cycle total = 0;
  CycleLedger ledger;
  CriticalPath path;
  compiler::Bound bound = {};            // of several graphs: the sum, by that of the largest
  std::vector<std::string> host_layers;  // "node 'x' (Op): why", in graph order
};

class SimBackend {
 public:
  /// `mapping` is how the gradients and the evaluation are compiled. The update has one schedule.
  SimBackend(const MachineConfig& machine, const SimulateOptions& options,
             compiler::MappingOptions mapping = {})
      : machine_(machine), options_(options), mapping_(std::move(mapping)) {}

  /// Implements training::Backend. Throws InputError, ConfigError; the executor throws
  /// SimulationError too. The backend must outlive the executor.
  training::Executor prepare(training::PassGraph graph);

  /// The costs of the graphs that have run. The first run of each is simulated. Later runs of
  /// engine fast compute only values, since no cycle depends on a value.
  const std::map<training::PassKind, PassCost>& costs() const { return costs_; }
  /// The cost of one step: gradients and update.
  PassCost step_cost() const;

 private:
  NetworkSchedule schedule_pass(graph::Graph graph, training::PassKind kind) const;
  compiler::NetworkProgram compile_pass(graph::Graph graph, training::PassKind kind);

  MachineConfig machine_;
  SimulateOptions options_;
  compiler::MappingOptions mapping_;
  std::map<training::PassKind, compiler::NetworkPlan> plans_;  // of the last graph of each kind
  std::map<training::PassKind, PassCost> costs_;
};

}  // namespace weft::runtime
