// Makes a unary operator the activation of the Conv, Gemm or MatMul before it (graph/op.h):
//
//     Relu(Conv(x, w, b))          =>  Conv(x, w, b), activation = "Relu"
//     Clip(Conv(x, w), 0, 6)       =>  Conv(x, w), activation = "Clip", alpha = 0, beta = 6
//
// if nothing else uses the contraction's result and it has no activation yet. Relu, LeakyRelu, Elu,
// Selu, Sigmoid, HardSigmoid, HardSwish, Tanh, Erf, Softplus, and Clip with constant bounds. The
// operator's parameters are always written out, defaults too, in the order of the specification:
//
//     operator       activation_alpha   activation_beta
//     LeakyRelu, Elu      alpha
//     Selu                alpha              gamma
//     HardSigmoid         alpha              beta
//     Clip                min                max          the largest finite numbers if left out
//
// Values stay exactly what they were.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/passes/rewriter.h"

namespace weft::passes {

graph::Graph fuse_activation(graph::Graph graph);

/// The attributes that make `node` an activation; nothing if it is none.
std::optional<graph::Attributes> activation_attributes(const Rewriter& rewriter,
                                                       const graph::Node& node);
/// Adds `more` to the attributes of `node`.
void set_attributes(graph::Node& node, const graph::Attributes& more);

}  // namespace weft::passes
