// Runs a compiled network: its programs on the simulated machine, the nodes between them on the
// host. Passes values from one to the next.
#pragma once

#include <functional>
#include <vector>

#include "compiler/program/network_program.h"
#include "runtime/network_run.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::runtime {

struct NetworkRunOptions {
  SimulateOptions simulate = {};
  bool keep_results = false;  // fast and timed only: keep each layer's result
  bool keep_timelines = false;
  /// Receives the first program and its result. Returns for how many cycles to record the array's
  /// inputs (record_array()). Not called without values.
  std::function<Cycle(const Program& program, const Result& result)> record = {};
};

/// `inputs` are by name; without values (engine analytic) there must be none. Throws InputError for
/// a missing or unknown input, for a wrong type or shape, and for errors of the host's nodes;
/// throws SimulationError.
NetworkRun run_network(const compiler::NetworkProgram& program, const MachineConfig& config,
                       const NamedTensors& inputs, const NetworkRunOptions& options);

/// Runs the same program repeatedly, with other inputs and with new elements for its constants. No
/// cycle depends on a value, so engine fast computes the cycles only in the first run.
class NetworkSession {
 public:
  /// `program` and `config` must outlive the session.
  NetworkSession(const compiler::NetworkProgram& program, const MachineConfig& config,
                 NetworkRunOptions options);
  ~NetworkSession();

  /// Same as run_network().
  NetworkRun run(const NamedTensors& inputs);

 private:
  friend class SessionRun;
  struct StepRun;

  const compiler::NetworkProgram& program_;
  const MachineConfig& config_;
  const NetworkRunOptions options_;
  std::vector<StepRun> steps_;
};

}  // namespace weft::runtime
