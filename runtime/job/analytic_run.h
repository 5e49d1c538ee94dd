// Compiles a network and runs it on the analytic engine, as `weft run --engine analytic` does,
// without holding its programs. A convolution is a network of one node.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/schedule/compile_network.h"
#include "runtime/network_run.h"
#include "runtime/workload/network_conv.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct AnalyticRun {
  graph::Graph graph;  // as it was imported or built
  compiler::ScheduledNetwork network;
  std::vector<std::string> notes;
  NetworkRun run;
  double wall_seconds = 0;
};

/// Throws InputError naming the network, ConfigError, SimulationError.
AnalyticRun analytic_network(graph::Graph graph, const std::string& name,
                             const MachineConfig& config,
                             const compiler::MappingOptions& mapping = {});

AnalyticRun analytic_conv(const ConvSpec& spec, const MachineConfig& config,
                          compiler::SearchEffort effort = compiler::SearchEffort::kNormal);

/// The network's only program, if it has one layer and that layer runs on the array. Null for a
/// convolution on the vector unit or the host.
const compiler::ScheduledSegment* array_segment(const compiler::ScheduledNetwork& network);

}  // namespace weft::runtime
