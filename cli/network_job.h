// One network run from graph to report, shared by `run` and `conv`: passes, compiler, simulation,
// check, files, summary.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/common_options.h"
#include "cli/network_conv.h"
#include "cli/network_outputs.h"
#include "cli/network_report.h"
#include "cli/streams.h"
#include "compiler/graph/graph.h"
#include "runtime/network_runner.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct NetworkJob {
  std::string command;
  std::string command_line = {};
  std::string network;  // its name in the report
  MachineConfig machine;
  RunOptions options;
  graph::Graph graph;            // as it was imported or built
  runtime::NamedTensors inputs;  // empty without values
  std::int64_t batch = 1;
  std::optional<ConvSpec> conv = {};          // set if the network is one convolution
  nlohmann::ordered_json page_parts = {};     // further data of the page, by key (docs/page.md)
  std::optional<std::int64_t> sequence = {};  // set if the user gave one
  std::optional<OutputFolder> outputs;
  std::optional<HostTimeOption> host_time = {};
};

/// Checks what must hold before inputs are read or drawn: the report and the waveform can be
/// written, and the engine supports the array. Throws InputError, ConfigError.
void check_before_network(const MachineConfig& machine, const RunOptions& options);

/// The part of the report that is known before the run.
NetworkReport start_report(const NetworkJob& job);

/// Writes the outputs to their folder and the report to its file, if the user asked for them: all
/// files or none. Throws InputError.
void write_network_files(const NetworkJob& job, const runtime::NamedTensors& outputs,
                         const std::string& json);

/// Exit code 0, or 1 if the check found a mismatch. Throws InputError, ConfigError,
/// SimulationError.
int run_network_job(NetworkJob job, const Streams& streams);

}  // namespace weft::cli
