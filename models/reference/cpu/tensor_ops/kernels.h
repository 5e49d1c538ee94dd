// The kernels: one function per family of operators. Each takes a call of one of its operators,
// with input types that the operator table allows, and returns the outputs. Each throws InputError,
// without the node's name, if the operator does not accept the elements.
#pragma once

#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference::tensor_ops {

using Kernel = std::vector<graph::Tensor> (*)(const graph::NodeCall&);

/// The operator's kernel; null if it is not a tensor operator.
Kernel find_kernel(graph::Op op);

/// Relu ... Reciprocal: one element in, one out (unary.cpp).
std::vector<graph::Tensor> evaluate_unary(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_clip(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_cast(const graph::NodeCall& call);

/// Add, Sub, Mul, Div, Min, Max, Sum and Mean (arithmetic.cpp).
std::vector<graph::Tensor> evaluate_arithmetic(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_prelu(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_pow(const graph::NodeCall& call);

/// Equal, Less, Greater, And, Or, Not (logic.cpp).
std::vector<graph::Tensor> evaluate_logic(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_where(const graph::NodeCall& call);

/// Softmax and LogSoftmax (softmax.cpp).
std::vector<graph::Tensor> evaluate_softmax(const graph::NodeCall& call);
/// ReduceMean, ReduceSum, ReduceMax, ReduceMin (reduce.cpp).
std::vector<graph::Tensor> evaluate_reduce(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_arg_max(const graph::NodeCall& call);

/// Identity, Reshape, Flatten, Squeeze and Unsqueeze: elements stay the same (reshape.cpp).
std::vector<graph::Tensor> evaluate_reshape(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_dropout(const graph::NodeCall& call);

// Elements made from shapes and scalars (generators.cpp).
std::vector<graph::Tensor> evaluate_shape(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_constant_of_shape(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_range(const graph::NodeCall& call);

// Blocks copied whole (joining.cpp), strided views (movement.cpp), borders (pad.cpp).
std::vector<graph::Tensor> evaluate_concat(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_split(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_gather(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_slice(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_transpose(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_expand(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_tile(const graph::NodeCall& call);
std::vector<graph::Tensor> evaluate_pad(const graph::NodeCall& call);

}  // namespace weft::reference::tensor_ops
