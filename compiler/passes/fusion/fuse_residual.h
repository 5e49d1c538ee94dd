// Makes the other operand of an Add the residual input of a Conv, Gemm or MatMul:
//
//     Add(Conv(x, w, b), r)  =>  Conv(x, w, b, r)
//
// if nothing else uses the contraction's result, if r has exactly the result's type, if the
// contraction has neither residual nor activation yet, and if r is computed or the weights are
// constant. If the Add has two contractions, the later one takes the earlier one's result, so that
// no node moves to a later position.
//
// Values stay the same up to the rounding of the sum.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph fuse_residual(graph::Graph graph);

}  // namespace weft::passes
