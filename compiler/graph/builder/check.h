// Verifies that a graph is whole and that its nodes fit their operators.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::graph {

/// Throws InputError with the node's label if the graph breaks the invariant in graph.h, or if a
/// node's inputs, attributes or outputs do not match its operator (shapes/signature.h).
void check(const Graph& graph);

}  // namespace weft::graph
