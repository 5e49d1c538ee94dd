// A network on an engine with everything that observes the run, and its check against the
// reference.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "runtime/job/run_observers.h"
#include "runtime/network_check.h"
#include "runtime/network_runner.h"
#include "runtime/workload/run_options.h"

namespace weft::runtime {

/// A compiled network, and how to run it. All must outlive the run.
struct NetworkJob {
  const compiler::NetworkProgram& program;
  const MachineConfig& machine;
  const NamedTensors& inputs;  // empty without values
  const RunOptions& options;
};

/// Runs the network. `seconds` is what the simulation and the host's nodes took. Throws InputError,
/// SimulationError, CheckError.
NetworkRun run_network(const NetworkJob& job, const RunObservers& observers, double& seconds);

/// Compares the run of `job` with the CPU reference. Only `fast` and `timed` expose each layer's
/// result in the unified buffer. A run of another engine passes if a second run by `fast` is right
/// and the host read the same values from both, bit for bit.
NetworkCheck check_run(const NetworkJob& job, const NetworkRun& run,
                       const std::function<void(double)>& progress);

/// The network's program, for a waveform, which shows one program only. Throws InputError unless
/// the network is one program.
const Program& only_program(const compiler::NetworkProgram& program);

}  // namespace weft::runtime
