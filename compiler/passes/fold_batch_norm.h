// Folds BatchNormalization, at inference one multiplication and one addition a channel, into the
// contraction before it:
//
//     f = scale / sqrt(var + epsilon)     w' = w * f     b' = (b - mean) * f + beta
//
// A Conv, ConvTranspose, Gemm or MatMul takes it if nothing else uses its result, its weights are
// constant and have the normalised channel among their dimensions, and it ends with its bias (no
// residual, no activation). Any other BatchNormalization at inference with constant statistics
// becomes Mul by f and Add of beta - mean * f.
//
// Values stay the same up to rounding: the constants are computed in binary64 and rounded once.
// Constants that are made on demand give weights that are made on demand.
// Source: Ioffe and Szegedy, "Batch Normalization", 2015, algorithm 2.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph fold_batch_norm(graph::Graph graph);

}  // namespace weft::passes
