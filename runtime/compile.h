// Prepares a network for the machine: unrolls recurrences, quantizes a float network if the array
// computes in int8, and runs the passes.
//
//   graph --> decompose_recurrent --> [simplify, calibrate, quantize] --> optimize --> compile
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/plan/network_plan.h"
#include "runtime/network_runner.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct PreparedNetwork {
  graph::Graph graph;              // what compiler::compile_network() takes
  std::vector<std::string> notes;  // what the user should know
  bool calibrated = false;         // quantized here, with the value ranges of this run
};

/// True if any part of the network computes with quantized values.
bool is_quantized(const graph::Graph& graph);

/// Returns the float network in int8 with recurrences unrolled, using the value ranges over
/// `samples`. Without samples every range is [-1, 1]. Throws InputError.
graph::Graph quantized_network(graph::Graph graph, std::span<const NamedTensors> samples);

/// `inputs` are the inputs of this run; a network to be quantized takes its value ranges from them.
/// Null means no values: every range is then [-1, 1], which does not affect cycles. Throws
/// InputError.
PreparedNetwork prepare_network(graph::Graph graph, const MachineConfig& config,
                                const NamedTensors* inputs);

/// A network before its programs are written.
struct NetworkSchedule {
  compiler::ScheduledNetwork network;
  std::vector<std::string> notes;  // what the user should know
};

/// The one way from a graph to schedules, for products (compiler::product_graph()) and networks
/// alike: prepare_network(), then compiler::schedule_network(). time_network() runs it without
/// values. Throws as these do.
NetworkSchedule schedule(graph::Graph graph, const MachineConfig& config,
                         const NamedTensors* inputs = nullptr,
                         const compiler::MappingOptions& mapping = {});
/// As `plan` says instead: compiler::schedule_as_planned().
NetworkSchedule schedule_as_planned(graph::Graph graph, const MachineConfig& config,
                                    const NamedTensors* inputs, const compiler::NetworkPlan& plan);

/// The most instructions in all programs of a network for which compile() sees room in this
/// computer's memory.
std::uint64_t most_instructions_held();

struct CompiledNetwork {
  compiler::NetworkProgram program;
  std::vector<std::string> notes;  // what the user should know
};

/// schedule(), then compiler::write_programs() if the programs fit this computer's memory. Throws
/// as these do.
CompiledNetwork compile(graph::Graph graph, const MachineConfig& config,
                        const NamedTensors* inputs = nullptr);
/// The second half of this.
CompiledNetwork compile(NetworkSchedule scheduled, const MachineConfig& config);

}  // namespace weft::runtime
