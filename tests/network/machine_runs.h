// Networks on small machines, on every engine that there is.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/network_runner.h"
#include "compiler/graph/graph.h"
#include "compiler/network/network_program.h"
#include "sim/config/machine_config.h"

namespace weft::network::testing {

/// Room for everything; transfers take no time.
MachineConfig small_machine(ElementType dtype, std::uint32_t rows, std::uint32_t cols);

/// The graph as a float machine takes it: recurrences unrolled, optimised.
graph::Graph prepared(const graph::Graph& graph);
/// The graph as an int8 machine takes it, calibrated with a few sample inputs.
graph::Graph quantised(const graph::Graph& graph);

/// `config` with the smallest unified buffer for which the graph can be compiled.
MachineConfig with_smallest_buffer(const graph::Graph& graph, MachineConfig config);

/// One line for each layer and host step, for messages.
std::string layer_table(const NetworkProgram& program);
/// The steps that the host computes.
std::vector<HostStep> host_steps(const NetworkProgram& program);
/// The layers of all programs.
std::vector<LayerInfo> layers_of(const NetworkProgram& program);

/// Runs the program on analytic, fast, stepped and, where built, rtl, and expects the same cycles
/// of all, layer by layer and class by class of the ledger, and the same bits of all that the host
/// took. Returns the run of fast.
cli::NetworkRun run_everywhere(const NetworkProgram& program, const MachineConfig& config,
                               const cli::NamedTensors& inputs);

}  // namespace weft::network::testing
