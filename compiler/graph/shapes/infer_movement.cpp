// Operators that move, split, or repeat elements.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"
#include "compiler/graph/shapes/slice.h"

namespace weft::graph {
namespace {

std::size_t axis_of(const NodeTypes& node, std::int64_t axis) {
  return static_cast<std::size_t>(normalized_axis(axis, rank_of(shape_of(node, 0))));
}

std::vector<std::int64_t> equal_parts(std::int64_t extent, std::size_t count) {
  const auto parts = static_cast<std::int64_t>(count);
  if (extent % parts != 0) {
    throw InputError(fmt::format("extent {} is not divisible by {} outputs", extent, parts));
  }
  return std::vector<std::int64_t>(count, extent / parts);
}

std::vector<std::int64_t> parts_of(const NodeTypes& node, std::int64_t extent) {
  if (optional_input(node, 1) == nullptr) return equal_parts(extent, node.outputs);
  std::vector<std::int64_t> parts = known_list(node, 1);
  if (parts.size() != node.outputs) {
    throw InputError(
        fmt::format("input 1 (split): {} parts for {} outputs", parts.size(), node.outputs));
  }
  std::int64_t sum = 0;
  for (const std::int64_t part : parts) {
    if (part < 0) throw InputError(fmt::format("input 1 (split): part {} is negative", part));
    sum = checked_add(sum, part);
  }
  if (sum != extent) {
    throw InputError(fmt::format("input 1 (split): the parts sum to {}, not {}", sum, extent));
  }
  return parts;
}

std::vector<std::int64_t> optional_list(const NodeTypes& node, std::size_t i) {
  return optional_input(node, i) == nullptr ? std::vector<std::int64_t>{} : known_list(node, i);
}

}  // namespace

ValueTypes infer_concat(const NodeTypes& node) {
  const std::size_t axis = axis_of(node, required_integer(node, "axis"));
  Shape result = shape_of(node, 0);
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Shape& shape = shape_of(node, i);
    Shape expected = result;
    if (shape.size() == result.size()) expected[axis] = shape[axis];
    expect_shape(node, i, expected);
    result[axis] = checked_add(result[axis], shape[axis]);
  }
  return {{input(node, 0).type, std::move(result)}};
}

ValueTypes infer_split(const NodeTypes& node) {
  const std::size_t axis = axis_of(node, node.attributes.integer("axis", 0));
  ValueTypes results;
  for (const std::int64_t part : parts_of(node, shape_of(node, 0)[axis])) {
    results.push_back(input(node, 0));
    results.back().shape[axis] = part;
  }
  return results;
}

ValueTypes infer_slice(const NodeTypes& node) {
  Shape shape;
  for (const SliceDim& dim :
       resolve_slices(shape_of(node, 0), known_list(node, 1), known_list(node, 2),
                      optional_list(node, 3), optional_list(node, 4))) {
    shape.push_back(dim.length);
  }
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_gather(const NodeTypes& node) {
  const std::size_t axis = axis_of(node, node.attributes.integer("axis", 0));
  Shape shape = shape_of(node, 0);
  const Shape& indices = shape_of(node, 1);
  const auto place = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(place, indices.begin(), indices.end());
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_transpose(const NodeTypes& node) {
  const Shape& in = shape_of(node, 0);
  std::vector<std::int64_t> reversed(in.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const auto perm = node.attributes.integers("perm", reversed);
  std::vector<std::int64_t> sorted = perm;
  std::ranges::sort(sorted);
  std::ranges::reverse(reversed);
  if (sorted != reversed) {
    throw InputError(fmt::format("attribute perm: not a permutation of {} dimensions", in.size()));
  }
  Shape shape;
  for (const std::int64_t axis : perm) shape.push_back(in[static_cast<std::size_t>(axis)]);
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_shape(const NodeTypes& node) {
  const auto [begin, end] = shape_range(node.attributes, rank_of(shape_of(node, 0)));
  return {{DataType::kInt64, {end - begin}}};
}

ValueTypes infer_constant_of_shape(const NodeTypes& node) {
  const Tensor* value = node.attributes.tensor("value");
  if (value != nullptr && value->size() != 1) {
    throw InputError(fmt::format("attribute value: {} elements, not 1", value->size()));
  }
  return {{value == nullptr ? DataType::kFloat32 : value->type(), known_list(node, 0)}};
}

ValueTypes infer_expand(const NodeTypes& node) {
  const Shape wanted = known_list(node, 1);
  element_count(wanted);
  return {{input(node, 0).type, broadcast(shape_of(node, 0), wanted)}};
}

ValueTypes infer_tile(const NodeTypes& node) {
  Shape shape = shape_of(node, 0);
  expect_shape(node, 1, {rank_of(shape)});
  const std::vector<std::int64_t> repeats = known_list(node, 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 0) throw InputError("input 1 (repeats): a number is negative");
    shape[i] = checked_mul(shape[i], repeats[i]);
  }
  return {{input(node, 0).type, std::move(shape)}};
}

}  // namespace weft::graph
