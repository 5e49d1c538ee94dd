// From a graph to programs of the machine and nodes for the host.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// Compiles a network for the machine. `graph` has been through the passes (compiler/passes).
/// Throws InputError if the machine cannot run the network. Throws ConfigError if the unified
/// buffer or the accumulators are too small for a layer. Throws InputError before the instructions
/// exceed `memory_bytes` or the limit of 2^26 per program.
NetworkProgram compile_network(graph::Graph graph, const MachineConfig& config,
                               const CompileOptions& options = {});

}  // namespace weft::network
