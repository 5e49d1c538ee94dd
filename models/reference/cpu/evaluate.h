// The CPU reference of every operator. As a graph::Evaluator it is what the compiler folds
// constants with; run_graph.h runs whole networks with it. Numerics: nn/evaluate_nn.h and
// tensor_ops/evaluate_tensor_op.h.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

/// The outputs of a node for which infer_outputs() found types and shapes. Throws InputError,
/// without naming the node, for elements that the operator does not take.
std::vector<graph::Tensor> evaluate(const graph::NodeCall& call);

}  // namespace weft::reference
