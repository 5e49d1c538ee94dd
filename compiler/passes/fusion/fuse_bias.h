// Makes an Add of one number per channel the bias of the contraction before it:
//
//     Add(MatMul(a, w), b)  =>  MatMul(a, w, b)        b: [N] or [1, ..., 1, N]
//     Add(Conv(x, w), b)    =>  Conv(x, w, b)          b: [1, C, 1, 1] or [C, 1, 1]
//
// if nothing else uses the product, and the contraction has no bias, residual or activation yet. b
// is a constant or a DequantizeLinear of a constant [N], which is the bias of a quantized MatMul.
//
// Values stay the same up to the rounding of the sum of product and bias.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph fuse_bias(graph::Graph graph);

}  // namespace weft::passes
