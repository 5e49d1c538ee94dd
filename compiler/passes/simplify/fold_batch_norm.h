// Folds BatchNormalization into the contraction before it. At inference it is one multiplication
// and one addition per channel:
//
//     f = scale / sqrt(var + epsilon)     w' = w * f     b' = (b - mean) * f + beta
//
// The pass folds it into a Conv, ConvTranspose, Gemm or MatMul if nothing else uses the result, if
// the weights are constant and the normalized channel is one of their dimensions, and if there is
// no residual or activation. Any other BatchNormalization at inference with constant statistics
// becomes a Mul by f and an Add of beta - mean * f.
//
// Values stay the same up to rounding: the pass computes constants in binary64 and rounds once.
// Weights made on demand stay so.
// Source: Ioffe and Szegedy, "Batch Normalization", 2015, algorithm 2.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph fold_batch_norm(graph::Graph graph);

}  // namespace weft::passes
