// Removes nodes that change nothing: Identity; Dropout at inference; Reshape, Flatten, Squeeze,
// Unsqueeze, Expand, Tile and Cast to the input's own type and shape; a Transpose that keeps the
// order of all dimensions longer than 1; a forward Slice of the whole input; a Concat of one input.
// Merges two Transposes in a row.
//
// Values stay exactly the same.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

/// In the result, an output of the graph may be an input of the graph or a constant.
graph::Graph remove_identities(graph::Graph graph);

}  // namespace weft::passes
