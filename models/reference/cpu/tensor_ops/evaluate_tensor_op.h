// The reference of the operators that handle tensors as such: element-wise functions, broadcasting
// arithmetic, reductions, and everything that moves elements or makes shapes. Convolutions,
// products, pools, normalisations and recurrences are in models/reference/cpu/nn.
//
// Numerics of float32: transcendental functions are evaluated in binary64 and rounded once; other
// element-wise operations are single binary32 operations. Sums along axes (reductions, softmax) are
// taken in binary64 in the order of the elements, and rounded once. Integers wrap.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

/// Whether evaluate_tensor_op() takes the operator.
bool is_tensor_op(graph::Op op);

/// The outputs of a call that shape inference accepts. Throws InputError, without naming the node,
/// for elements that the operator does not take (an index out of range, an integer divided by
/// zero), and for an operator that is not one of these.
std::vector<graph::Tensor> evaluate_tensor_op(const graph::NodeCall& call);

}  // namespace weft::reference
