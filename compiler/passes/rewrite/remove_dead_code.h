// Removes unused nodes, unused outputs of nodes, and values that nothing refers to any longer. The
// graph's inputs stay even if they are unused, because they are its interface.
//
// Values stay exactly the same; their numbers change.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

/// The part of `graph` that its outputs depend on. Throws InputError if it is not a valid graph.
graph::Graph remove_dead_code(graph::Graph graph);

}  // namespace weft::passes
