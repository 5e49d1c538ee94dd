// A network on its way to the machine: recurrences unrolled, quantised if the array computes in
// int8 and the network in floating point, then through the passes.
//
//   graph --> decompose_recurrent --> [simplify, calibrate, quantize] --> optimize --> compile
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/network_runner.h"
#include "compiler/graph/graph.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct PreparedNetwork {
  graph::Graph graph;              // what network::compile_network() takes
  std::vector<std::string> notes;  // what the user should know
  bool calibrated = false;         // quantised here, with ranges of this run
};

/// True if the network computes with quantised values somewhere.
bool is_quantised(const graph::Graph& graph);

/// The float network in int8, recurrences unrolled, with the ranges of its values over `samples`;
/// without samples every range is [-1, 1]. Throws InputError.
graph::Graph quantized_network(graph::Graph graph, std::span<const NamedTensors> samples);

/// `inputs` are this run's, from which the ranges of a network to be quantised come; null without
/// values: then every range is [-1, 1], on which no cycle depends. Throws InputError.
PreparedNetwork prepare_network(graph::Graph graph, const MachineConfig& config,
                                const NamedTensors* inputs);

/// Compiles it, within the memory of this computer. Throws as compile_network() does.
network::NetworkProgram compile_prepared(PreparedNetwork prepared, const MachineConfig& config);

}  // namespace weft::cli
