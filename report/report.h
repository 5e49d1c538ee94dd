// The result of a run, gathered before anything is written. Text, JSON, page and trace are views of
// this one model. A product is a network of one layer on the array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/mapping/tiling_plan.h"
#include "report/machine_text.h"
#include "report/output_summary.h"
#include "runtime/analysis/network_energy.h"
#include "runtime/analysis/sensitivity.h"
#include "runtime/job/shown_run.h"
#include "runtime/network_check.h"
#include "runtime/network_runner.h"
#include "runtime/product_check.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/token_work.h"
#include "sim/config/energy_table.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::report {

/// What only a product has, or a program of the user, which may compute anything.
struct ProductPart {
  std::optional<MatmulSpec> spec = {};  // nullopt: the program does not say what it computes
  std::optional<TilingPlan> plan = {};  // nullopt: the compiler did not make the program
  Cycle array_span = 0;
  CycleLedger span_ledger = {};  // of the cycles of the array span
  runtime::CheckReport check = {};
};

/// The time of the host layers, which the simulated cycles leave out.
struct HostTime {
  /// Seconds that the host takes for all its layers in one run; nullopt: as measured here.
  std::optional<double> seconds;
};

/// What only a network has.
struct NetworkPart {
  std::string name;  // a file, a built-in network's name, or a layer in words
  std::int64_t batch = 1;
  std::optional<runtime::ConvSpec> conv = {};     // set if the network is one convolution
  std::optional<std::int64_t> sequence = {};      // set if the user gave one
  std::optional<std::int64_t> kv_cache = {};      // the same, of cached tokens
  std::optional<runtime::TokenWork> tokens = {};  // if the network generates text
  std::string plan_hash = {};                     // of the schedule that ran
  // How long it was searched; nullopt if the run followed a plan.
  std::optional<compiler::SearchEffort> effort = {};
  std::vector<graph::Value> inputs = {};  // names and types
  std::uint64_t parameters = 0;
  std::uint64_t macs = 0;  // of the whole network, on machine and host
  std::optional<runtime::NetworkCheck> check = {};
  std::optional<HostTime> host_time = {};  // set if the user asked to count the host's time
  bool with_values = false;
  std::vector<OutputSummary> outputs = {};  // empty without values
};

/// The energy of a run, with the energies of events from which it follows.
struct EnergyPart {
  EnergyTable table;
  runtime::NetworkEnergy figures;
};

/// What a run costs besides time, as far as the user asked (report/energy_report.h).
struct Cost {
  std::optional<EnergyPart> energy = {};
  std::optional<double> price_per_hour = {};  // of the machine
};

struct RunReport {
  std::string command;
  Engine engine = Engine::kFast;
  MachineConfig machine;
  MachineFile machine_file = {};
  std::variant<ProductPart, NetworkPart> part;
  runtime::NetworkRun run;
  double wall_seconds = 0;                               // of the simulation and the host's nodes
  std::optional<runtime::Sensitivity> sensitivity = {};  // if the user asked for it
  Cost cost = {};
  std::vector<std::string> notes;  // about the whole run

  bool is_product() const { return std::holds_alternative<ProductPart>(part); }
  /// The part of a product, or of a network. Throws std::bad_variant_access for the other.
  const ProductPart& product() const { return std::get<ProductPart>(part); }
  ProductPart& product() { return std::get<ProductPart>(part); }
  const NetworkPart& network() const { return std::get<NetworkPart>(part); }
  NetworkPart& network() { return std::get<NetworkPart>(part); }
};

inline double as_real(std::uint64_t value) {
  return static_cast<double>(value);
}

/// The report of a product's run: `program`, which the compiler made for `plan` if there is one,
/// gave `result`.
RunReport describe_product(std::string command, const Program& program,
                           const std::optional<TilingPlan>& plan, Result result);
/// Gives the report of a product that was not held the timeline and the note of `shown`, so that
/// pages and traces can draw it. Takes the timeline; `shown.program` is what they draw.
void show(RunReport& report, runtime::ShownRun& shown);
/// The report of a network that has only its workload so far.
RunReport describe_network(std::string command, std::string name, std::int64_t batch,
                           const graph::Graph& graph);

/// "matmul 64 x 64 x 64 on tiny", "run lenet5 on tpu-v2".
std::string run_title(const RunReport& report);

/// Seconds of the run on the machine's clock; the host's nodes take none.
double simulated_seconds(const RunReport& report);
/// Useful MACs divided by the MACs that the array could have done in `cycles`; nullopt for 0
/// cycles.
std::optional<double> utilization(const MachineConfig& config, std::uint64_t useful_macs,
                                  Cycle cycles);
/// The same for the whole run. It and tops() are nullopt also for a program that does not say what
/// it computes.
std::optional<double> utilization(const RunReport& report);
/// 10^12 useful operations per second, with two operations per MAC; nullopt for 0 cycles.
std::optional<double> tops(const RunReport& report);

/// The first mismatch that the check found, as a sentence; nullopt if there is none.
std::optional<std::string> mismatch(const RunReport& report);
/// The largest error of any layer, as a share of its bound.
double worst_share(const runtime::NetworkCheck& check);

/// Where the layer runs: "array", "vector" or "host".
std::string_view place_of(const runtime::LayerRun& layer);
/// All notes on one layer: why it runs where it does, how the schedule divides it, and what did not
/// stay in the unified buffer.
std::vector<std::string> notes_of(const runtime::LayerRun& layer);
/// "result 784 x 6 (25.1 kB)"; "84 rows of result 196 x 6 (672 B)" if the others stay.
std::string spill_text(const compiler::Spill& spill);

/// How many layers of the network the host computed.
std::size_t host_layers(const RunReport& report);
/// Seconds of the host layers; nullopt if there are some and nobody gave or measured their time.
std::optional<double> host_seconds(const RunReport& report);

}  // namespace weft::report
