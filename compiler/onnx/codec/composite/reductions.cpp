// Reductions that take squares, magnitudes, logarithms or truth values.
#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/composite/recipes.h"

namespace weft::onnx_io {

using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::ValueId;

namespace {

/// The axes to reduce. Without any, all of them: since opset 18 an empty list that is left over
/// from lowering (newer_node.h) means none.
std::vector<std::int64_t> reduced_axes(const Assembly& node) {
  const std::int64_t rank = node.rank(node.input(0));
  const auto axes = graph::normalized_axes(node.attributes().integers("axes"), rank);
  const bool is_none = node.opset() >= 18 && node.attributes().has("axes");
  if (!axes.empty() || is_none) return axes;
  std::vector<std::int64_t> all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool keeps_dimensions(const Assembly& node) {
  return node.attributes().integer("keepdims", 1) != 0;
}

ValueId summed(Assembly& node, ValueId value) {
  return node.sum(value, reduced_axes(node), keeps_dimensions(node));
}

ValueId squared(Assembly& node, ValueId value) {
  return node.add(Op::kMul, {value, value});
}

/// The largest elements along the axes, limited to finite numbers, so that no infinity is
/// subtracted from another. The dimensions stay.
ValueId finite_maximum(Assembly& node, ValueId x, const std::vector<std::int64_t>& axes) {
  const DataType type = node.type(x);
  const double most = type == DataType::kFloat16   ? 65504.0
                      : type == DataType::kFloat32 ? double{std::numeric_limits<float>::max()}
                                                   : std::numeric_limits<double>::max();
  const ValueId maximum = node.add(Op::kReduceMax, {x}, {{"axes", axes}});
  return node.add(Op::kClip, {maximum, node.number(-most, type), node.number(most, type)});
}

/// The shape without the axes.
Shape without(const Shape& shape, const std::vector<std::int64_t>& axes) {
  constexpr std::int64_t kGone = -1;
  Shape rest = shape;
  for (const std::int64_t axis : axes) rest[static_cast<std::size_t>(axis)] = kGone;
  std::erase(rest, kGone);
  return rest;
}

/// Before opset 13, Hardmax ran over all dimensions from its axis on.
Shape hardmax_shape(const Assembly& node, std::int64_t axis, const Shape& shape) {
  if (node.opset() >= 13) return shape;
  const auto middle = shape.begin() + axis;
  return {graph::element_count({shape.begin(), middle}),
          graph::element_count({middle, shape.end()})};
}

}  // namespace

ValueId compose_reduce_l1(Assembly& node) {
  return summed(node, node.add(Op::kAbs, {node.input(0)}));
}

ValueId compose_reduce_l2(Assembly& node) {
  const ValueId x = node.input(0);
  const DataType type = node.type(x);
  const ValueId real = graph::is_float(type) ? x : node.cast(x, DataType::kFloat64);
  return node.cast(node.add(Op::kSqrt, {summed(node, squared(node, real))}), type);
}

ValueId compose_reduce_sum_square(Assembly& node) {
  return summed(node, squared(node, node.input(0)));
}

ValueId compose_reduce_log_sum(Assembly& node) {
  return node.add(Op::kLog, {summed(node, node.input(0))});
}

ValueId compose_reduce_log_sum_exp(Assembly& node) {
  const ValueId x = node.input(0);
  const std::vector<std::int64_t> axes = reduced_axes(node);
  if (axes.empty()) return x;
  const ValueId maximum = finite_maximum(node, x, axes);
  const ValueId powers = node.add(Op::kExp, {node.add(Op::kSub, {x, maximum})});
  const ValueId logarithm = node.add(Op::kLog, {node.sum(powers, axes, true)});
  const ValueId result = node.add(Op::kAdd, {logarithm, maximum});
  return keeps_dimensions(node) ? result : node.reshape(result, without(node.shape(x), axes));
}

ValueId compose_reduce_of_truths(Assembly& node) {
  const Op op = node.op() == "ReduceMax" ? Op::kReduceMax : Op::kReduceMin;
  const ValueId numbers = node.cast(node.input(0), DataType::kUint8);
  return node.cast(node.add(op, {numbers}, node.attributes()), DataType::kBool);
}

ValueId compose_hardmax(Assembly& node) {
  const ValueId x = node.input(0);
  const bool is_old = node.opset() < 13;
  const Shape shape = node.shape(x);
  const std::int64_t axis =
      graph::normalized_axis(node.attributes().integer("axis", is_old ? 1 : -1), node.rank(x));
  const std::int64_t along = is_old ? 1 : axis;
  const ValueId flat = node.reshape(x, hardmax_shape(node, axis, shape));
  const ValueId largest = node.add(Op::kArgMax, {flat}, {{"axis", along}});

  const auto extent = node.shape(flat)[static_cast<std::size_t>(along)];
  Shape aligned(static_cast<std::size_t>(node.rank(flat)), 1);
  aligned[static_cast<std::size_t>(along)] = extent;
  const ValueId is_largest = node.add(Op::kEqual, {node.counting(aligned), largest});
  return node.reshape(node.cast(is_largest, node.type(x)), shape);
}

}  // namespace weft::onnx_io
