// The CPU reference of every operator. The compiler folds constants with it, as a graph::Evaluator;
// run_graph.h runs whole networks with it. Numerics: nn/kernels.h and tensor_ops/kernels.h.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

/// Computes the outputs of a node, with the types and shapes that infer_outputs() found. Throws
/// InputError, without the node's name, if the operator does not accept the elements.
std::vector<graph::Tensor> evaluate(const graph::NodeCall& call);

}  // namespace weft::reference
