// Removes what nothing depends on: nodes of which no output is wanted, outputs of nodes that nobody
// uses, and values that are left without a role. The graph's inputs stay, used or not: they are its
// interface.
//
// Values keep exactly what they were; their numbers change.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

/// The part of `graph` that its outputs depend on. Throws InputError if it is no valid graph.
graph::Graph remove_dead_code(graph::Graph graph);

}  // namespace weft::passes
