// Cuts a network into segments: what the machine runs in one program, and what the host computes in
// between.
#pragma once

#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/network/network_program.h"
#include "compiler/network/planner.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// In order of execution. Nodes run as early as their operands allow: the host first does all that
/// it can, then the machine all that it can. Every sheet knows what the host wants of it and which
/// layer uses it last.
std::vector<std::variant<Segment, HostStep>> cut_into_segments(const graph::Graph& graph,
                                                               const MachineConfig& config,
                                                               const CompileOptions& options = {});

}  // namespace weft::network
