// Operators along axes: Softmax keeps the shape; reductions remove each axis or set its extent to
// 1.
#include <fmt/format.h>

#include <numeric>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

Shape reduced(const NodeTypes& node, const std::vector<std::int64_t>& axes) {
  constexpr std::int64_t kGone = -1;
  Shape shape = shape_of(node, 0);
  const bool keep = node.attributes.integer("keepdims", 1) != 0;
  for (const std::int64_t axis : normalized_axes(axes, rank_of(shape))) {
    shape[static_cast<std::size_t>(axis)] = keep ? 1 : kGone;
  }
  std::erase(shape, kGone);
  return shape;
}

std::vector<std::int64_t> all_axes(const Shape& shape) {
  std::vector<std::int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

ValueTypes infer_along_axis(const NodeTypes& node) {
  normalized_axis(node.attributes.integer("axis", -1), rank_of(shape_of(node, 0)));
  return {input(node, 0)};
}

ValueTypes infer_reduce(const NodeTypes& node) {
  std::vector<std::int64_t> axes = node.attributes.integers("axes");
  if (axes.empty()) axes = all_axes(shape_of(node, 0));
  return {{input(node, 0).type, reduced(node, axes)}};
}

ValueTypes infer_reduce_sum(const NodeTypes& node) {
  std::vector<std::int64_t> axes;
  if (optional_input(node, 1) != nullptr) axes = known_list(node, 1);
  if (axes.empty()) {
    if (node.attributes.integer("noop_with_empty_axes", 0) != 0) return {input(node, 0)};
    axes = all_axes(shape_of(node, 0));
  }
  return {{input(node, 0).type, reduced(node, axes)}};
}

ValueTypes infer_arg_extreme(const NodeTypes& node) {
  const std::int64_t axis = node.attributes.integer("axis", 0);
  Shape shape = reduced(node, {axis});
  const Shape& in = shape_of(node, 0);
  if (in[static_cast<std::size_t>(normalized_axis(axis, rank_of(in)))] == 0) {
    throw InputError("there is no extreme element along an axis of extent 0");
  }
  return {{DataType::kInt64, std::move(shape)}};
}

ValueTypes infer_top_k(const NodeTypes& node) {
  expect_shape(node, 1, {1});
  const std::int64_t k = to_int64(known(node, 1)).front();
  ValueType values = input(node, 0);
  const std::int64_t axis =
      normalized_axis(node.attributes.integer("axis", -1), rank_of(values.shape));
  std::int64_t& extent = values.shape[static_cast<std::size_t>(axis)];
  if (k < 0 || k > extent) {
    throw InputError(
        fmt::format("input 1 (K): {} elements of an axis of extent {} are asked for", k, extent));
  }
  extent = k;
  return {values, {DataType::kInt64, values.shape}};
}

ValueTypes infer_cum_sum(const NodeTypes& node) {
  expect_scalar(node, 1);
  expect_rank(node, 0, 1, kAnyNumber);
  return {input(node, 0)};
}

}  // namespace weft::graph
