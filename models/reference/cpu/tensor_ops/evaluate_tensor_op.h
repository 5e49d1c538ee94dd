// The CPU reference of the tensor operators: element-wise functions, broadcasting arithmetic,
// reductions, and everything that moves elements or makes shapes. Convolutions, products, pools,
// normalizations and recurrences are in models/reference/cpu/nn.
//
// Numerics of float32: transcendental functions are evaluated in binary64 and rounded once; other
// element-wise operations are single binary32 operations. Sums along axes (reductions, softmax) are
// accumulated in binary64 in the order of the elements and rounded once. Integers wrap.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

/// Whether evaluate_tensor_op() takes the operator.
bool is_tensor_op(graph::Op op);

/// Computes the outputs of a call that shape inference accepts. Throws InputError, without the
/// node's name, if the operator does not accept the elements (an index out of range, an integer
/// divided by zero) or is not a tensor operator.
std::vector<graph::Tensor> evaluate_tensor_op(const graph::NodeCall& call);

}  // namespace weft::reference
