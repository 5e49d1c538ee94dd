// Unrolls LSTM, GRU and RNN into matrix products and element-wise operators, which the machine
// supports. The part that does not depend on the previous step is one product for all steps:
//
//     X [S, B, I] --- MatMul W_g^T, Add bias ---> [S, B, H]     for each gate g, once
//                                                    | Slice t
//     h [1, B, H] --- MatMul R_g^T ------------- Add ---> activation ---> gates of step t
//
// A step is then one product per gate. fuse_residual and fuse_activation later fuse the Add and the
// activation with this product. The pass supports all directions, initial states, biases,
// peepholes, linear_before_reset, and activations without parameters or with default parameters.
// The weights must be constants; weights made on demand stay so. With layout 1, the pass transposes
// the sequence and the states before and the outputs after. It does not change a node with
// sequences of different lengths, clip, input_forget, an activation that is no operator of Weft, or
// more than kMostSteps steps.
//
// Values stay the same up to the order of additions. Source: ONNX operators LSTM-14, GRU-14,
// RNN-14.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// Each step becomes about 20 nodes. The host computes longer sequences.
inline constexpr std::int64_t kMostSteps = 4096;

graph::Graph decompose_recurrent(graph::Graph graph);

}  // namespace weft::passes
