// Runs the passes on a network before it is lowered. The order and its reasons:
//
//     remove_dead_code    first, so that later passes skip unused nodes
//     fold_constants      computes reshaped, transposed and cast weights, as importers leave them
//     remove_identities   so that the nodes of a pattern are direct neighbors
//     use_reciprocals     any time
//     fold_batch_norm     before fuse_bias, because it changes the bias
//     decompose_gemm      after fold_batch_norm: a C that becomes an Add is no longer a bias
//     move_powers         after decompose_gemm, so that a C that becomes an Add is scaled as one;
//                         before networks are quantized, so that their weights are scaled before
//     decompose_conv_transpose
//                         after fold_batch_norm, which changes the weights and bias
//     fuse_bias           before fuse_qdq, which accepts a MatMul with a bias
//     fuse_qdq            before fuse_activation, because the integer forms include activations
//     fold_constants      now with DequantizeLinear: the weights of nodes left in floating point
//     remove_identities   again
//     fuse_residual       after all passes that require a node without residual
//     fuse_activation     last, because the activation is applied last
//
// Values stay the same up to rounding; each pass documents its effect on them. Running the passes a
// second time changes nothing.
#pragma once

#include "compiler/graph/evaluator.h"
#include "compiler/graph/graph.h"
#include "compiler/passes/quantization/fuse_qdq.h"

namespace weft::passes {

/// Runs the first eight passes. The result still contains only ONNX operators; quantize() takes it.
/// Throws InputError with the node's label if a constant cannot be computed.
graph::Graph simplify(graph::Graph graph, const graph::Evaluator& evaluate);

/// Runs all passes. Throws the errors of simplify().
graph::Graph optimize(graph::Graph graph, const graph::Evaluator& evaluate,
                      ZeroPoints zero_points = ZeroPoints::kGiven);

}  // namespace weft::passes
