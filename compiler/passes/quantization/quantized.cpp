#include "compiler/passes/quantization/quantized.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/passes/rewrite/constants.h"

namespace weft::passes {

using graph::DataType;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

Quantized parameters(const Rewriter& rewriter, const Node& node, ValueId integers) {
  const bool known = rewriter.constant(node.inputs[1]) != nullptr &&
                     (node.input(2) == kNoValue || rewriter.constant(node.input(2)) != nullptr);
  if (!known) return {};
  const auto rank = static_cast<std::int64_t>(rewriter.type(integers).shape.size());
  const std::int64_t axis = node.attributes.integer("axis", 1);
  const bool in_range = axis >= -rank && axis < rank;  // else it is an unused default
  return {integers, node.inputs[1], node.input(2),
          in_range ? graph::normalized_axis(axis, rank) : 0};
}

std::int64_t elements(const Rewriter& rewriter, ValueId value) {
  return graph::element_count(rewriter.type(value).shape);
}

bool equal_elements(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

/// True if the product of any integer of up to 8 bits and the scale is a normal number or 0.
bool is_invertible(const Tensor& scale) {
  const double value = real_scalar(scale);
  return value >= 0x1p-126 && value <= 0x1p+118;
}

}  // namespace

Quantized dequantized(const Rewriter& rewriter, ValueId value) {
  const Node* node = rewriter.producer(value, Op::kDequantizeLinear);
  return node != nullptr ? parameters(rewriter, *node, node->inputs[0]) : Quantized{};
}

Quantized quantized(const Rewriter& rewriter, const Node& node) {
  return parameters(rewriter, node, node.outputs[0]);
}

bool is_byte(const Rewriter& rewriter, ValueId value) {
  const DataType type = rewriter.type(value).type;
  return type == DataType::kInt8 || type == DataType::kUint8;
}

bool is_per_tensor(const Rewriter& rewriter, const Quantized& value) {
  return elements(rewriter, value.scale) == 1;
}

std::optional<std::int64_t> zero_point(const Rewriter& rewriter, const Quantized& value) {
  if (value.zero_point == kNoValue) return 0;
  const Tensor* known = rewriter.ready(value.zero_point);
  if (known == nullptr || known->size() != 1) return std::nullopt;
  if (known->type() == DataType::kUint8) return known->data<std::uint8_t>()[0];
  if (known->type() == DataType::kInt8) return known->data<std::int8_t>()[0];
  return known->data<std::int32_t>()[0];
}

bool has_zero_points_of_0(const Rewriter& rewriter, const Quantized& value) {
  if (value.zero_point == kNoValue) return true;
  const Tensor* known = rewriter.ready(value.zero_point);
  const auto is_0 = [](std::byte byte) { return byte == std::byte{0}; };
  return known != nullptr && std::ranges::all_of(known->bytes(), is_0);
}

bool same_parameters(const Rewriter& rewriter, const Quantized& a, const Quantized& b) {
  const Tensor* scale_a = rewriter.ready(a.scale);
  const Tensor* scale_b = rewriter.ready(b.scale);
  if (scale_a == nullptr || scale_b == nullptr || scale_a->size() != 1) return false;
  const auto zero_a = zero_point(rewriter, a);
  return rewriter.type(a.integers).type == rewriter.type(b.integers).type && zero_a.has_value() &&
         zero_a == zero_point(rewriter, b) && equal_elements(*scale_a, *scale_b) &&
         is_invertible(*scale_a);
}

ValueId scale_operand(Rewriter& rewriter, const Quantized& value) {
  if (!is_per_tensor(rewriter, value) || rewriter.type(value.scale).shape.empty()) {
    return value.scale;
  }
  return rewriter.add_constant(reshaped(*rewriter.constant(value.scale), {}),
                               rewriter.name(value.scale));
}

ValueId zero_point_operand(Rewriter& rewriter, const Quantized& value) {
  const graph::Shape shape =
      is_per_tensor(rewriter, value) ? graph::Shape{} : rewriter.type(value.scale).shape;
  if (value.zero_point == kNoValue) {
    return rewriter.add_constant(Tensor(rewriter.type(value.integers).type, shape),
                                 rewriter.name(value.integers) + "/zero_point");
  }
  if (rewriter.type(value.zero_point).shape == shape) return value.zero_point;
  return rewriter.add_constant(reshaped(*rewriter.constant(value.zero_point), shape),
                               rewriter.name(value.zero_point));
}

std::int64_t lowest(DataType type) {
  return type == DataType::kInt8 ? -128 : 0;
}

}  // namespace weft::passes
