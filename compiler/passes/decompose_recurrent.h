// Unrolls LSTM, GRU and RNN into matrix products and element-wise operators, which the machine has.
// What does not depend on the step before is one product for all steps:
//
//     X [S, B, I] --- MatMul W_g^T, Add bias ---> [S, B, H]     for each gate g, once
//                                                    | Slice t
//     h [1, B, H] --- MatMul R_g^T ------------- Add ---> activation ---> gates of step t
//
// so that a step is one product a gate, to which fuse_residual and fuse_activation add the rest.
// Covered: all directions, initial states, biases, peepholes, linear_before_reset, and activations
// without parameters (or with their defaults). The weights must be constants; made on demand, they
// stay so. With layout 1 the sequence, the states and the outputs are transposed around it. A node
// is left as it is if it has sequences of different lengths, clip, input_forget, an activation that
// is no operator, or more than kMostSteps steps.
//
// Values stay the same up to the order of additions. Source: ONNX operators LSTM-14, GRU-14,
// RNN-14.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// Each step becomes some 20 nodes; longer sequences are better left to the host.
inline constexpr std::int64_t kMostSteps = 4096;

graph::Graph decompose_recurrent(graph::Graph graph);

}  // namespace weft::passes
