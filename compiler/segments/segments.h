// Cuts a network into segments, which the machine runs as one program each, and nodes in between,
// which the host computes.
#pragma once

#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "compiler/segments/planner.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Segments and host steps in order of execution. Nodes run as early as their operands allow: the
/// host runs all its nodes that are ready, then the machine all of its own. Every sheet knows the
/// values that the host reads from it and the last layer that uses it.
std::vector<std::variant<Segment, HostStep>> cut_into_segments(const graph::Graph& graph,
                                                               const MachineConfig& config,
                                                               const CompileOptions& options = {});

/// True if images of a large batch would have other lines joined than a single one
/// (MappingOptions::joined_lines).
bool joins_other_lines_for_batch(const graph::Graph& graph, const MachineConfig& config,
                                 MappingOptions options);

}  // namespace weft::compiler
