// A convolution compiled and run on the analytic engine, as `weft conv --engine analytic` does it.
#pragma once

#include <vector>

#include "cli/network_conv.h"
#include "cli/network_runner.h"
#include "compiler/network/network_program.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct ConvRun {
  graph::Graph graph;  // the network of one node, as it was built
  network::NetworkProgram program;
  std::vector<std::string> notes;
  NetworkRun run;
  double wall_seconds = 0;
};

/// Throws InputError naming the convolution, ConfigError, SimulationError.
ConvRun analytic_conv(const ConvSpec& spec, const MachineConfig& config);

/// The step of the program in which the convolution runs on the array, alone; null if it runs on
/// the vector unit or the host.
const network::MachineStep* array_step(const network::NetworkProgram& program);

}  // namespace weft::cli
