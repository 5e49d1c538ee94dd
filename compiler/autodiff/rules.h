// The gradient rules, by family. Each operator has a rule or a reason why it has none.
#pragma once

#include <span>

#include "compiler/autodiff/node_gradient.h"
#include "compiler/graph/op_array.h"

namespace weft::autodiff {

/// Gives the gradients of the node's inputs.
using GradientRule = void (*)(NodeGradient& g);
using RuleEntry = graph::OpEntry<GradientRule>;
using Rules = std::span<const RuleEntry>;

/// The entry of an operator.
const RuleEntry& rule_of(Op op);

Rules contraction_rules();    // contraction_rules.cpp: matrices, and what training does not take
Rules convolution_rules();    // convolution_rules.cpp
Rules elementwise_rules();    // elementwise_rules.cpp
Rules broadcast_rules();      // broadcast_rules.cpp
Rules reduction_rules();      // reduction_rules.cpp
Rules pool_rules();           // pool_rules.cpp
Rules normalization_rules();  // normalization.cpp
Rules movement_rules();       // movement_rules.cpp
Rules indexed_rules();        // indexed_rules.cpp

}  // namespace weft::autodiff
