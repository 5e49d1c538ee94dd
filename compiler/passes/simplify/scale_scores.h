// Moves the scale of attention from both operands of a product to its result:
//
//     softmax((q * s) (k * t))   becomes   softmax((q k) * st)
//
// Exporters write it before the product: PyTorch multiplies queries and keys by the root of the
// scale each. There it stands between a projection and the product, and takes a pass of the vector
// unit over each operand. Behind the product it is a step of the softmax, and if it is a power of
// two, move_powers() takes it into the weights of a projection.
//
// A float32 product of the factors that is off a power of two by no more than their own roundings,
// is that power: the root of 1/8, squared in float32, is not 1/8. So a score changes by a few
// roundings of float32: q and k are no longer rounded after their factors, and the score is.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph scale_scores(graph::Graph graph);

}  // namespace weft::passes
