// One network run from graph to report, shared by `run` and `conv`: passes, compiler, simulation,
// check, files, summary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/common_options.h"
#include "cli/options/search_options.h"
#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "report/energy_report.h"
#include "report/report.h"
#include "report/streams.h"
#include "runtime/network_runner.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/network_outputs.h"
#include "runtime/workload/token_work.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct NetworkCommand {
  std::string command;
  std::string command_line = {};
  std::string network;  // its name in the report
  MachineConfig machine;
  report::MachineFile machine_file = {};
  runtime::RunOptions options;
  OutputFiles files;
  graph::Graph graph;            // as it was imported or built
  runtime::NamedTensors inputs;  // empty without values
  std::int64_t batch = 1;
  std::optional<runtime::ConvSpec> conv = {};  // set if the network is one convolution
  std::optional<std::int64_t> sequence = {};   // set if the user gave one
  std::optional<std::int64_t> kv_cache = {};   // the same, of cached tokens
  std::optional<runtime::TokenWork> tokens = {};
  std::optional<runtime::OutputFolder> outputs;
  std::optional<report::HostTime> host_time = {};
  SearchFlags search = {};
  report::CostRequest cost = {};
  bool sensitivity = false;
};

/// Checks what must hold before inputs are read or drawn: the files can be written, and the engine
/// supports the array. Throws InputError, ConfigError.
void check_before_network(const NetworkCommand& job);

/// The part of the report that is known before the run.
report::RunReport start_report(const NetworkCommand& job);

/// Says in the report which plan ran and how long it was searched, with which --why repeats it.
void describe_search(const SearchFlags& search, const compiler::ScheduledNetwork& network,
                     report::NetworkPart& part);

/// The files of the network's outputs, if the user asked for them. Throws InputError.
std::vector<runtime::FileContent> output_files(const NetworkCommand& job,
                                               const runtime::NamedTensors& outputs);

/// Exit code 0, or 1 if the check found a mismatch. Throws InputError, ConfigError,
/// SimulationError.
int run_network_job(NetworkCommand job, const report::Streams& streams);

}  // namespace weft::cli
