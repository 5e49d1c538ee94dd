// The passes in the order in which a network goes through them before it is lowered:
//
//     remove_dead_code    nothing is folded or fused for nobody
//     fold_constants      what importers leave behind: weights reshaped, transposed, cast
//     remove_identities   patterns are then direct neighbours
//     fold_batch_norm     before the bias, which it changes
//     decompose_gemm      after that, since a C that becomes an Add is no bias any more
//     decompose_conv_transpose
//                         likewise: what is added to it and scales it is in its weights and bias
//     fuse_bias           before fuse_qdq, which knows a MatMul with a bias
//     fuse_qdq            before activations, which the integer forms take with them
//     fold_constants      now DequantizeLinear too: the weights of what stayed in floating point
//     remove_identities   again
//     fuse_residual       after all that ends with its bias
//     fuse_activation     last, as it is computed last
//
// Values stay the same up to rounding; each pass says which ones and how far. Running it twice
// changes nothing that the first run did not.
#pragma once

#include "compiler/graph/evaluator.h"
#include "compiler/graph/graph.h"
#include "compiler/passes/fuse_qdq.h"

namespace weft::passes {

/// The first six, after which a network still has operators of ONNX alone: what quantize() takes.
/// Throws InputError naming the node if a constant cannot be computed.
graph::Graph simplify(graph::Graph graph, const graph::Evaluator& evaluate);

/// All of them. Throws as simplify() does.
graph::Graph optimize(graph::Graph graph, const graph::Evaluator& evaluate,
                      ZeroPoints zero_points = ZeroPoints::kGiven);

}  // namespace weft::passes
