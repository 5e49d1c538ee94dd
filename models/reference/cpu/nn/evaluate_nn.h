// The CPU reference of the neural-network operators: contractions, quantization, windows,
// normalization, recurrence and Resize, as ONNX (opset 17) and the extensions in
// compiler/graph/op.h define them.
//
// float32 and float64 are computed in their own type. float16 is computed in float32 and rounded to
// nearest even at the end. Integer forms are exact: sums modulo 2^32, requantized as in
// quantization.h. Functions such as exp and tanh follow scalar_functions.h; pool.cpp defines the
// order of additions in averages.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

/// Whether evaluate_nn() knows the operator.
bool is_nn_op(graph::Op op);

/// Computes the outputs of a node, with the types and shapes that infer_outputs() found. Throws
/// InputError for an operator or element type that is not supported here, and for elements out of
/// range.
std::vector<graph::Tensor> evaluate_nn(const graph::NodeCall& call);

}  // namespace weft::reference
