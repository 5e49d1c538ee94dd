// Makes a unary operator the activation of the Conv, Gemm or MatMul before it (graph/op.h):
//
//     Relu(Conv(x, w, b))          =>  Conv(x, w, b), activation = "Relu"
//     Clip(Conv(x, w), 0, 6)       =>  Conv(x, w), activation = "Clip", alpha = 0, beta = 6
//
// if nothing else uses the contraction's result and it has no activation yet. The pass fuses the
// operators with the trait kActivation, and of these Clip with constant bounds. The attributes
// always contain all parameters of the operator, including defaults:
//
//     operator       activation_alpha   activation_beta
//     LeakyRelu, Elu      alpha
//     Selu                alpha              gamma
//     HardSigmoid         alpha              beta
//     Clip                min                max          default: the largest finite numbers
//
// Values stay exactly the same.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

graph::Graph fuse_activation(graph::Graph graph);

/// The "activation" attributes for `node`; nullopt if `node` cannot be an activation.
std::optional<graph::Attributes> activation_attributes(const Rewriter& rewriter,
                                                       const graph::Node& node);
/// Adds `more` to the attributes of `node`.
void set_attributes(graph::Node& node, const graph::Attributes& more);

}  // namespace weft::passes
