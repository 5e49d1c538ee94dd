// Operators along axes: Softmax keeps the shape; reductions remove each axis or set its extent to
// 1.
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

ValueTypes infer_arg_max(const NodeTypes& node) {
  const std::int64_t axis = node.attributes.integer("axis", 0);
  Shape shape = reduced(node, {axis});
  const Shape& in = shape_of(node, 0);
  if (in[static_cast<std::size_t>(normalized_axis(axis, rank_of(in)))] == 0) {
    throw InputError("there is no largest element along an axis of extent 0");
  }
  return {{DataType::kInt64, std::move(shape)}};
}

}  // namespace weft::graph
