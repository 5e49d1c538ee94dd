// Writes 1 / x as Reciprocal(x), which gives the same bits. The vector unit computes a reciprocal,
// but no quotient of a constant. Exporters write the root of an RMS normalization this way.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph use_reciprocals(graph::Graph graph);

}  // namespace weft::passes
