// Runs a compiled network: its programs on the simulated machine, the nodes in between on the host,
// values handed from one to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/network/network_program.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"
#include "sim/trace/array_recording.h"

namespace weft::cli {

using NamedTensors = std::map<std::string, graph::Tensor>;

/// One row of the layer table after the run.
struct LayerRun {
  network::LayerInfo info;
  bool on_host = false;  // then `info.note` says why, and there are no cycles
  Cycle cycles = 0;      // from the end of the layer before to the end of this one
  CycleLedger ledger;    // of these cycles
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
  /// Values that the machine computed, by number: those that the host took, and, with
  /// `keep_results`, the result of every layer that stayed in the unified buffer.
  std::map<graph::ValueId, graph::Tensor> values;
  std::vector<Timeline> timelines;          // of the programs, with `keep_timelines`
  std::optional<ArrayRecording> recording;  // with `record`
};

struct NetworkRunOptions {
  SimulateOptions simulate;
  bool keep_results = false;  // fast and timed only: what each layer left in the unified buffer
  bool keep_timelines = false;
  /// How many cycles of the first program to record what enters the array (record_array()), given
  /// how it ran; not called without values.
  std::function<Cycle(const Program& program, const Result& result)> record = {};
};

/// `inputs` by name, checked against the graph: InputError names a missing or unknown one, or one
/// of another type or shape. Without values (engine analytic) it must be empty. Throws InputError
/// from the host's nodes, SimulationError.
NetworkRun run_network(const network::NetworkProgram& program, const MachineConfig& config,
                       const NamedTensors& inputs, const NetworkRunOptions& options);

/// The same program run again and again with other inputs and with constants whose elements are
/// made anew. Its cycles depend on no value: engine fast finds them in the first run alone.
class NetworkSession {
 public:
  /// `program` and `config` must outlive the session.
  NetworkSession(const network::NetworkProgram& program, const MachineConfig& config,
                 NetworkRunOptions options);
  ~NetworkSession();

  /// As run_network().
  NetworkRun run(const NamedTensors& inputs);

 private:
  friend class SessionRun;
  struct StepRun;

  const network::NetworkProgram& program_;
  const MachineConfig& config_;
  const NetworkRunOptions options_;
  std::vector<StepRun> steps_;
};

}  // namespace weft::cli
