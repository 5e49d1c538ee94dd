// One network on the machine from graph to report, the same for `run` and `conv`: passes, compiler,
// simulation, check, files, summary.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/common_options.h"
#include "cli/network_conv.h"
#include "cli/network_outputs.h"
#include "cli/network_report.h"
#include "cli/network_runner.h"
#include "cli/streams.h"
#include "compiler/graph/graph.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct NetworkJob {
  std::string command;
  std::string command_line = {};
  std::string network;  // as the report calls it
  MachineConfig machine;
  RunOptions options;
  graph::Graph graph;   // as it was imported or built
  NamedTensors inputs;  // empty without values
  std::int64_t batch = 1;
  std::optional<ConvSpec> conv = {};          // if the network is one convolution
  nlohmann::ordered_json page_parts = {};     // further data of the page, by key (docs/page.md)
  std::optional<std::int64_t> sequence = {};  // if it was asked for
  std::optional<OutputFolder> outputs;
};

/// What has to be known before inputs are read and drawn: the report can be written, the waveform
/// too, the engine has such an array. Throws InputError, ConfigError.
void check_before_network(const MachineConfig& machine, const RunOptions& options);

/// What is known before anything ran.
NetworkReport start_report(const NetworkJob& job);

/// The outputs into their folder and the report into its file, as far as these are asked for: all
/// or nothing. Throws InputError.
void write_network_files(const NetworkJob& job, const NamedTensors& outputs,
                         const std::string& json);

/// Exit code 0, or 1 if the check found a mismatch. Throws InputError, ConfigError,
/// SimulationError.
int run_network_job(NetworkJob job, const Streams& streams);

}  // namespace weft::cli
