// Runs networks on small machines, on every available engine.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "runtime/network_runner.h"
#include "sim/config/machine_config.h"

namespace weft::compiler::testing {

/// Has room for everything; transfers take no time.
MachineConfig small_machine(ElementType dtype, std::uint32_t rows, std::uint32_t cols);

/// The graph for a float machine: recurrences unrolled, then optimized.
graph::Graph prepared(const graph::Graph& graph);
/// The graph for an int8 machine, calibrated with a few sample inputs.
graph::Graph quantized(const graph::Graph& graph);

/// `config` with the smallest unified buffer that lets the graph compile.
MachineConfig with_smallest_buffer(const graph::Graph& graph, MachineConfig config);

/// One line per layer and host step, for messages.
std::string layer_table(const NetworkProgram& program);
/// The steps that the host computes.
std::vector<HostStep> host_steps(const NetworkProgram& program);
/// The layers of all programs.
std::vector<LayerInfo> layers_of(const NetworkProgram& program);

/// Expects the same cycles, ledger, counts and bytes of each layer.
void expect_same_layers(const std::vector<runtime::LayerRun>& layers,
                        const std::vector<runtime::LayerRun>& expected);

/// Runs the program on analytic, fast, stepped and, where built, rtl. Expects the same cycles from
/// all, per layer and per ledger class, and the same bits for every value that the host receives.
/// Returns the run of fast.
runtime::NetworkRun run_everywhere(const NetworkProgram& program, const MachineConfig& config,
                                   const runtime::NamedTensors& inputs);

}  // namespace weft::compiler::testing
