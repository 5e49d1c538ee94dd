// The CPU reference of the neural-network operators: contractions, quantisation, windows,
// normalisation, recurrence and Resize, as ONNX (opset 17) and the extensions in
// compiler/graph/op.h define them.
//
// float32 and float64 are computed in their own type, float16 in float32 and rounded to nearest
// even at the end. Integer forms are exact: sums modulo 2^32, requantised as in quantization.h.
// Functions such as exp and tanh follow scalar_functions.h, averages the order in pool.cpp.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

/// Whether evaluate_nn() knows the operator.
bool is_nn_op(graph::Op op);

/// The outputs of a node for which infer_outputs() found types and shapes. Throws InputError for an
/// operator or element type that is not known here, and for elements out of range.
std::vector<graph::Tensor> evaluate_nn(const graph::NodeCall& call);

}  // namespace weft::reference
