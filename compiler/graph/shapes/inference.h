// Helpers of the inference rules: access to a node's inputs with errors that name the input, and
// checks of shapes. The rules themselves are in infer_*.cpp, one file per family. They are declared
// here for the signatures (signature.cpp). infer_outputs() checks the number and types of the
// inputs before it calls a rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/graph/shapes/signature.h"

namespace weft::graph {

/// `input 1 (shape)`.
std::string input_label(const NodeTypes& node, std::size_t i);

/// Input `i`, or null if it is omitted.
inline const ValueType* optional_input(const NodeTypes& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : nullptr;
}
/// Input `i`. Throws InputError if it is omitted.
const ValueType& input(const NodeTypes& node, std::size_t i);
/// The shape of input `i`. Throws InputError if the input is omitted.
inline const Shape& shape_of(const NodeTypes& node, std::size_t i) {
  return input(node, i).shape;
}

/// The elements of input `i`. Throws InputError if they are unknown before the network runs.
const Tensor& known(const NodeTypes& node, std::size_t i);
/// The elements of input `i` as real numbers. Throws InputError if they are unknown, float16 or
/// truth values.
std::vector<double> known_reals(const NodeTypes& node, std::size_t i);
/// The elements of input `i` as a list of integers. Throws InputError if they are unknown or if the
/// rank is not 1.
std::vector<std::int64_t> known_list(const NodeTypes& node, std::size_t i);

/// The expect_ functions throw InputError with the input's name if the input has another shape.
/// They accept an omitted input.
void expect_shape(const NodeTypes& node, std::size_t i, const Shape& shape);
void expect_rank(const NodeTypes& node, std::size_t i, std::size_t least, std::size_t most);
/// Expects one element, of rank 0 or 1.
void expect_scalar(const NodeTypes& node, std::size_t i);
/// Expects one element or a list of `channels` elements.
void expect_scalar_or_list(const NodeTypes& node, std::size_t i, std::int64_t channels);
/// Expects a shape that broadcasts to `shape`, so that the result has exactly `shape`.
void expect_broadcastable_to(const NodeTypes& node, std::size_t i, const Shape& shape);

/// The attribute `name`. Throws InputError if the node does not have it.
std::int64_t required_integer(const NodeTypes& node, std::string_view name);
/// Throws InputError with the attribute's name and value unless the value is one of `known`.
void expect_one_of(const Attributes& attributes, std::string_view name, std::string_view otherwise,
                   std::initializer_list<std::string_view> known);

using ValueTypes = std::vector<ValueType>;

// infer_contraction.cpp
ValueTypes infer_conv(const NodeTypes& node);
ValueTypes infer_conv_transpose(const NodeTypes& node);
ValueTypes infer_matmul(const NodeTypes& node);
ValueTypes infer_gemm(const NodeTypes& node);
/// The output's shape, for the float, integer and quantized forms. `x` and `w` (`a` and `b`) are
/// the numbers of the inputs with the two operands.
Shape conv_shape(const NodeTypes& node, std::size_t x, std::size_t w);
Shape matmul_shape(const NodeTypes& node, std::size_t a, std::size_t b);
/// Throws InputError unless the node has no "activation" attributes or they name a supported
/// activation: Relu or Clip, or with `any_unary` any unary operator with at most two numbers.
void check_activation(const NodeTypes& node, bool any_unary);

// infer_quantization.cpp
ValueTypes infer_conv_integer(const NodeTypes& node);
ValueTypes infer_qlinear_conv(const NodeTypes& node);
ValueTypes infer_matmul_integer(const NodeTypes& node);
ValueTypes infer_qlinear_matmul(const NodeTypes& node);
ValueTypes infer_quantize(const NodeTypes& node);
ValueTypes infer_dequantize(const NodeTypes& node);
ValueTypes infer_dynamic_quantize(const NodeTypes& node);

// infer_elementwise.cpp
ValueTypes infer_unary(const NodeTypes& node);
ValueTypes infer_prelu(const NodeTypes& node);
ValueTypes infer_clip(const NodeTypes& node);
ValueTypes infer_cast(const NodeTypes& node);
ValueTypes infer_dropout(const NodeTypes& node);
ValueTypes infer_broadcast(const NodeTypes& node);
ValueTypes infer_mod(const NodeTypes& node);
ValueTypes infer_truths(const NodeTypes& node);
ValueTypes infer_comparison(const NodeTypes& node);
ValueTypes infer_where(const NodeTypes& node);

// infer_reduction.cpp
ValueTypes infer_along_axis(const NodeTypes& node);
ValueTypes infer_reduce(const NodeTypes& node);
ValueTypes infer_reduce_sum(const NodeTypes& node);
ValueTypes infer_arg_extreme(const NodeTypes& node);
ValueTypes infer_top_k(const NodeTypes& node);
ValueTypes infer_cum_sum(const NodeTypes& node);

// infer_windows.cpp
ValueTypes infer_max_pool(const NodeTypes& node);
ValueTypes infer_average_pool(const NodeTypes& node);
ValueTypes infer_global_pool(const NodeTypes& node);
ValueTypes infer_batch_normalization(const NodeTypes& node);
ValueTypes infer_instance_normalization(const NodeTypes& node);
ValueTypes infer_layer_normalization(const NodeTypes& node);
ValueTypes infer_lrn(const NodeTypes& node);

// infer_reshape.cpp
ValueTypes infer_reshape(const NodeTypes& node);
ValueTypes infer_flatten(const NodeTypes& node);
ValueTypes infer_squeeze(const NodeTypes& node);
ValueTypes infer_unsqueeze(const NodeTypes& node);

// infer_movement.cpp
ValueTypes infer_concat(const NodeTypes& node);
ValueTypes infer_split(const NodeTypes& node);
ValueTypes infer_slice(const NodeTypes& node);
ValueTypes infer_gather(const NodeTypes& node);
ValueTypes infer_transpose(const NodeTypes& node);
ValueTypes infer_shape(const NodeTypes& node);
ValueTypes infer_constant_of_shape(const NodeTypes& node);
ValueTypes infer_expand(const NodeTypes& node);
ValueTypes infer_tile(const NodeTypes& node);

// infer_indexed.cpp
ValueTypes infer_gather_elements(const NodeTypes& node);
ValueTypes infer_gather_nd(const NodeTypes& node);
ValueTypes infer_scatter_elements(const NodeTypes& node);
ValueTypes infer_scatter_nd(const NodeTypes& node);
ValueTypes infer_one_hot(const NodeTypes& node);
ValueTypes infer_grid_sample(const NodeTypes& node);

// infer_resize.cpp
ValueTypes infer_pad(const NodeTypes& node);
ValueTypes infer_resize(const NodeTypes& node);
ValueTypes infer_range(const NodeTypes& node);

// infer_recurrent.cpp
ValueTypes infer_lstm(const NodeTypes& node);
ValueTypes infer_gru(const NodeTypes& node);
ValueTypes infer_rnn(const NodeTypes& node);

}  // namespace weft::graph
