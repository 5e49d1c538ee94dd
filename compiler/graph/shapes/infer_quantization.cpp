// Integer and quantized contractions, and the conversions to and from quantized values. A scale or
// zero point is one number for the whole tensor or a list along one axis.
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

// Checks a scale and its zero point, the next input, which must have the same shape.
void expect_scale(const NodeTypes& node, std::size_t scale, std::int64_t channels) {
  expect_scalar_or_list(node, scale, channels);
  expect_shape(node, scale + 1, shape_of(node, scale));
}

// Rows of the left operand and columns of the right one. A vector has one row or one column.
std::int64_t rows(const Shape& a) {
  return a.size() < 2 ? 1 : a[a.size() - 2];
}
std::int64_t columns(const Shape& b) {
  return b.size() < 2 ? 1 : b.back();
}

void expect_scale_along_axis(const NodeTypes& node) {
  const Shape& shape = shape_of(node, 0);
  const Shape& scale = shape_of(node, 1);
  expect_rank(node, 1, 0, 1);
  if (!scale.empty() && scale != Shape{1}) {
    const auto axis = normalized_axis(node.attributes.integer("axis", 1), rank_of(shape));
    expect_shape(node, 1, {shape[static_cast<std::size_t>(axis)]});
  }
  expect_shape(node, 2, scale);
}

}  // namespace

ValueTypes infer_conv_integer(const NodeTypes& node) {
  Shape shape = conv_shape(node, 0, 1);
  expect_scalar(node, 2);
  expect_scalar_or_list(node, 3, shape[1]);
  return {{DataType::kInt32, std::move(shape)}};
}

ValueTypes infer_qlinear_conv(const NodeTypes& node) {
  Shape shape = conv_shape(node, 0, 3);
  for (const std::size_t i : {1U, 2U, 6U, 7U}) expect_scalar(node, i);
  expect_scale(node, 4, shape[1]);
  expect_shape(node, 8, {shape[1]});
  check_activation(node, false);
  return {{input(node, 7).type, std::move(shape)}};
}

ValueTypes infer_matmul_integer(const NodeTypes& node) {
  expect_scalar_or_list(node, 2, rows(shape_of(node, 0)));
  expect_scalar_or_list(node, 3, columns(shape_of(node, 1)));
  return {{DataType::kInt32, matmul_shape(node, 0, 1)}};
}

ValueTypes infer_qlinear_matmul(const NodeTypes& node) {
  expect_scale(node, 1, rows(shape_of(node, 0)));
  expect_scale(node, 4, columns(shape_of(node, 3)));
  expect_scale(node, 6, rows(shape_of(node, 0)));
  expect_shape(node, 8, {columns(shape_of(node, 3))});
  check_activation(node, false);
  return {{input(node, 7).type, matmul_shape(node, 0, 3)}};
}

ValueTypes infer_quantize(const NodeTypes& node) {
  expect_scale_along_axis(node);
  const ValueType* zero_point = optional_input(node, 2);
  const DataType type = zero_point == nullptr ? DataType::kUint8 : zero_point->type;
  return {{type, shape_of(node, 0)}};
}

ValueTypes infer_dequantize(const NodeTypes& node) {
  expect_scale_along_axis(node);
  return {{DataType::kFloat32, shape_of(node, 0)}};
}

ValueTypes infer_dynamic_quantize(const NodeTypes& node) {
  return {{DataType::kUint8, shape_of(node, 0)}, {DataType::kFloat32, {}}, {DataType::kUint8, {}}};
}

}  // namespace weft::graph
