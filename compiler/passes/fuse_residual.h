// Makes the other operand of an Add the residual input of a Conv, Gemm or MatMul:
//
//     Add(Conv(x, w, b), r)  =>  Conv(x, w, b, r)
//
// if nothing else uses the contraction's result, r has exactly the result's type, and is no
// constant unless the weights are one, and the contraction has neither residual nor activation yet.
// Of two contractions that are added the later one takes the earlier one's result, so that nothing
// is computed later than before.
//
// Values stay the same up to where the backend rounds the sum.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph fuse_residual(graph::Graph graph);

}  // namespace weft::passes
