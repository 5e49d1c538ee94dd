// The report of a network run, gathered before anything is written: JSON for programs, a table of
// layers with totals for people.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "report/host_time.h"
#include "report/output_summary.h"
#include "report/text.h"
#include "runtime/network_check.h"
#include "runtime/network_runner.h"
#include "runtime/workload/network_conv.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::report {

struct NetworkReport {
  std::string command;
  std::string network;  // a file, a built-in network's name, or a layer in words
  Engine engine = Engine::kFast;
  MachineConfig machine;
  std::int64_t batch = 1;
  std::optional<runtime::ConvSpec> conv = {};  // set if the network is one convolution
  std::optional<std::int64_t> sequence = {};   // set if the user gave one
  std::vector<graph::Value> inputs;            // names and types
  std::uint64_t parameters = 0;
  std::uint64_t macs = 0;  // of the whole network, on machine and host
  runtime::NetworkRun run;
  std::optional<runtime::NetworkCheck> check;
  double wall_seconds = 0;                       // of the simulation and the host's nodes
  std::optional<HostTimeOption> host_time = {};  // set if the user asked to count the host's time
  std::vector<std::string> notes;                // about the whole network
  bool with_values = false;
  std::vector<OutputSummary> outputs;  // empty without values
};

/// A report that has only the workload so far.
NetworkReport describe_network(std::string command, std::string network, std::int64_t batch,
                               const graph::Graph& graph);

/// Where the layer runs: "array", "vector" or "host".
std::string_view place_of(const runtime::LayerRun& layer);
/// All notes on one layer: why it runs where it does, and what did not stay in the unified buffer.
std::vector<std::string> notes_of(const runtime::LayerRun& layer);

/// Seconds of the run on the machine's clock; the host's nodes take none.
double simulated_seconds(const NetworkReport& report);
/// Useful MACs divided by the MACs that the array could have done in `cycles`; nullopt for 0
/// cycles.
std::optional<double> utilization(const MachineConfig& config, std::uint64_t useful_macs,
                                  Cycle cycles);

/// The largest error of any layer, as a share of its bound.
double worst_share(const runtime::NetworkCheck& check);

/// Schema 1; docs/json.md explains each key.
nlohmann::ordered_json network_report_json(const NetworkReport& report);

/// The report of a run on the CPU reference alone; `wall_seconds` is the reference's time. Also
/// schema 1.
nlohmann::ordered_json reference_report_json(const NetworkReport& report);

/// "lenet5, batch 1, 61,706 parameters, 417 kMACs".
std::string network_line(std::string_view network, std::int64_t batch, std::uint64_t parameters,
                         std::uint64_t macs);
/// The whole convolution, as `workload.conv` of the reports. Pads are four numbers or "same".
nlohmann::ordered_json conv_json(const runtime::ConvSpec& spec);
/// The network, its inputs and its size.
nlohmann::ordered_json workload_json(const NetworkReport& report);
/// "result 784 x 6 (25.1 kB)".
std::string spill_text(const network::Spill& spill);

/// At most about 140 columns.
std::string network_report_text(const NetworkReport& report, const Style& style);

}  // namespace weft::report
