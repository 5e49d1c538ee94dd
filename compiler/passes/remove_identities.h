// Removes nodes that change nothing: Identity; Dropout outside training; Reshape, Flatten, Squeeze,
// Unsqueeze, Expand, Tile and Cast to the type and shape that the input has; a Transpose that moves
// no dimension longer than 1 past another; a Slice of everything, forwards; a Concat of one.
//
// Values stay exactly what they were.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

/// An output of the graph may become one of its inputs or a constant.
graph::Graph remove_identities(graph::Graph graph);

}  // namespace weft::passes
