// Runs a compiled network: its programs on the simulated machine, the nodes between them on the
// host. Passes values from one to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/program/network_program.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"
#include "sim/trace/array_recording.h"

namespace weft::runtime {

using NamedTensors = std::map<std::string, graph::Tensor>;

/// One row of the layer table after the run.
struct LayerRun {
  network::LayerInfo info;
  bool on_host = false;     // then `info.note` says why, and there are no cycles
  double host_seconds = 0;  // what the host took for it here; 0 without values
  Cycle cycles = 0;         // those of its instructions (docs/timing.md, "Whose cycle it is")
  CycleLedger ledger;       // of these cycles
};

struct NetworkRun {
  std::vector<LayerRun> layers;
  Cycle total = 0;  // of all programs, one after the other
  CycleLedger ledger;
  Traffic traffic;
  std::uint64_t issued_macs = 0;
  std::uint64_t useful_macs = 0;
  std::size_t programs = 0;
  std::uint64_t instructions = 0;
  std::uint64_t compared_cycles = 0;  // by lock-step checking, without a difference
  NamedTensors outputs;               // empty without values
  /// Values that the machine computed: those that the host read and, with `keep_results`, the
  /// result of every layer that stayed in the unified buffer.
  std::map<graph::ValueId, graph::Tensor> values;
  std::vector<Timeline> timelines;          // of the programs, with `keep_timelines`
  std::optional<ArrayRecording> recording;  // with `record`
};

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
NetworkRun run_network(const network::NetworkProgram& program, const MachineConfig& config,
                       const NamedTensors& inputs, const NetworkRunOptions& options);

/// Runs the same program repeatedly, with other inputs and with new elements for its constants. No
/// cycle depends on a value, so engine fast computes the cycles only in the first run.
class NetworkSession {
 public:
  /// `program` and `config` must outlive the session.
  NetworkSession(const network::NetworkProgram& program, const MachineConfig& config,
                 NetworkRunOptions options);
  ~NetworkSession();

  /// Same as run_network().
  NetworkRun run(const NamedTensors& inputs);

 private:
  friend class SessionRun;
  struct StepRun;

  const network::NetworkProgram& program_;
  const MachineConfig& config_;
  const NetworkRunOptions options_;
  std::vector<StepRun> steps_;
};

}  // namespace weft::runtime
