// What follows the sums of a convolution or product: bias, residual, requantization, activation.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::DataType;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

std::optional<std::int32_t> integer_of(const graph::Constant* constant) {
  if (constant == nullptr || constant->type().type != DataType::kInt32 ||
      graph::element_count(constant->type().shape) != 1) {
    return std::nullopt;
  }
  return constant->tensor().data<std::int32_t>()[0];
}

}  // namespace

/// Relu, or Clip between constants, of 32-bit integers.
std::optional<LaneFunction> Planner::integer_function(const graph::Node& node) const {
  if (node.op == Op::kRelu) return LaneFunction{VectorOp::kRelu};
  if (node.op != Op::kClip) return std::nullopt;
  const auto bound = [&](ValueId value, std::int32_t otherwise) {
    return value == graph::kNoValue ? std::optional(otherwise) : integer_of(lazy_constant(value));
  };
  const auto low = bound(node.input(1), std::numeric_limits<std::int32_t>::min());
  const auto high = bound(node.input(2), std::numeric_limits<std::int32_t>::max());
  if (!low || !high) return std::nullopt;
  return LaneFunction{VectorOp::kClamp, static_cast<std::uint32_t>(*low),
                      static_cast<std::uint32_t>(*high)};
}

/// Absorbs the nodes that alone use 32-bit sums, if the drain can compute them: an Add of a
/// constant for each column, then a Relu or Clip. Returns the last one's result.
ValueId Planner::integer_epilogue(ValueId sums, std::int64_t columns, Epilogue& epilogue) {
  const graph::Node* next = only_user(sums);
  if (next != nullptr && next->op == Op::kAdd) {
    const ValueId addend = next->inputs[next->inputs[0] == sums ? 1 : 0];
    const graph::Constant* bias = lazy_constant(addend);
    if (bias == nullptr || graph_.type(next->outputs[0]).shape != graph_.type(sums).shape) {
      return sums;
    }
    const Shape& shape = bias->type().shape;
    const std::int64_t count = graph::element_count(shape);
    if (count != 1 && (count != columns || shape.back() != columns)) return sums;
    epilogue.bias = make_of(*bias);
    absorb(*next);
    sums = next->outputs[0];
    next = only_user(sums);
  }
  if (next == nullptr) return sums;
  const auto function = integer_function(*next);
  if (!function) return sums;
  epilogue.op = function->op;
  epilogue.low = function->low;
  epilogue.high = function->high;
  absorb(*next);
  return next->outputs[0];
}

Refusal Planner::float_epilogue(const graph::Node& node, std::int64_t channels,
                                Epilogue& epilogue) {
  const ValueId bias = node.input(2);
  if (bias != graph::kNoValue) {
    const graph::Constant* constant = lazy_constant(bias);
    if (constant == nullptr) return "its bias is computed";
    const std::int64_t count = graph::element_count(constant->type().shape);
    const Shape& shape = constant->type().shape;
    if (count != 1 && (count != channels || shape.back() != channels)) {
      return "its bias is not one number per column";
    }
    if (constant->type().type != DataType::kFloat32) return "its bias is not float32";
    epilogue.bias = make_of(*constant);
  }
  if (Refusal refusal = residual(node, epilogue)) return refusal;
  const std::string activation = node.attributes.text("activation", "");
  if (activation.empty()) return std::nullopt;
  const auto function = lane_function(activation, node.attributes.real("activation_alpha", 0),
                                      node.attributes.real("activation_beta", 0));
  if (!function) return "the vector unit lacks its activation";
  epilogue.op = function->op;
  epilogue.low = function->low;
  epilogue.high = function->high;
  return std::nullopt;
}

Refusal Planner::residual(const graph::Node& node, Epilogue& epilogue) {
  const ValueId value = node.input(3);
  if (value == graph::kNoValue) return std::nullopt;
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  const std::size_t axis =
      node.op == Op::kConv ? image_channel_axis(shape.size()) : last_channel_axis(shape.size());
  const auto source = node.op == Op::kConv ? joined_operand(value, axis) : operand(value, axis);
  if (!source || source->dequantized) return "the machine cannot read its residual";
  const Shape seen = source->lines.any() ? joined_shape(shape, source->lines) : shape;
  const View dense = dense_view(source->view.sheet, seen, axis);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (seen[i] != 1 && source->view.dims[i] != dense.dims[i]) {
      return "its residual has another layout";
    }
  }
  epilogue.residual = source->view;
  return std::nullopt;
}

Refusal Planner::requantization(const graph::Node& node, ValueId x_scale, ValueId w_scale,
                                ValueId y_scale, ValueId y_zero, Epilogue& epilogue) {
  const auto x = scalar(x_scale);
  const auto y = scalar(y_scale);
  const graph::Constant* w = lazy_constant(w_scale);
  const auto zero = zero_point(y_zero);
  if (!x || !y || w == nullptr || !zero) return "its scales are not constants";
  epilogue.domain = VectorDomain::kFloat;
  epilogue.quantization = {std::bit_cast<std::uint32_t>(1.0F), *zero};
  // In float32 and in the order of the QLinear operators' reference.
  epilogue.scale = [x = *x, y = *y, weights = *w] {
    const Tensor scales = weights.tensor();
    Tensor result(DataType::kFloat32, {scales.size()});
    const auto out = result.mutable_data<float>();
    const auto in = scales.data<float>();
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = x * in[i] / y;
    return result;
  };
  const std::string activation = node.attributes.text("activation", "");
  if (activation.empty()) return std::nullopt;
  const bool is_unsigned = graph_.type(node.outputs[0]).type == DataType::kUint8;
  const auto quantum = [&](float value) {
    // Steps from the zero point: quantize(value) - zero.
    const float code = std::nearbyint(value / *y) + static_cast<float>(*zero);
    static_cast<void>(is_unsigned);
    return std::clamp(code, -128.0F, 127.0F) - static_cast<float>(*zero);
  };
  const bool relu = activation == "Relu";
  const float low = relu ? 0 : node.attributes.real("activation_alpha", 0);
  const float high =
      relu ? std::numeric_limits<float>::max() : node.attributes.real("activation_beta", 0);
  epilogue.op = VectorOp::kClamp;
  epilogue.low = std::bit_cast<std::uint32_t>(quantum(low));
  epilogue.high = std::bit_cast<std::uint32_t>(quantum(high));
  return std::nullopt;
}

}  // namespace weft::compiler
