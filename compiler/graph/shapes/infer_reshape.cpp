// Operators that change only the shape: elements and their order stay the same.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

constexpr std::int64_t kInferred = -1;

// The extent that replaces -1 in `wanted`.
std::int64_t inferred_extent(Shape wanted, std::int64_t count) {
  std::ranges::replace(wanted, kInferred, 1);
  const std::int64_t others = element_count(wanted);
  if (others == 0 || count % others != 0) {
    throw InputError(
        fmt::format("cannot infer the -1 in the shape: {} elements are not divisible "
                    "by {}",
                    count, others));
  }
  return count / others;
}

void copy_zeros(Shape& wanted, const Shape& in) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != 0) continue;
    if (i >= in.size()) {
      throw InputError(
          fmt::format("the 0 at position {} copies an extent, but the rank is {}", i, in.size()));
    }
    wanted[i] = in[i];
  }
}

void expect_shape_list(const Shape& wanted, bool allow_zero) {
  const auto inferred = std::ranges::count(wanted, kInferred);
  if (inferred > 1) throw InputError("input 1 (shape): more than one -1");
  if (inferred == 1 && allow_zero && std::ranges::count(wanted, 0) > 0) {
    throw InputError("input 1 (shape): 0 and -1 cannot be combined with allowzero");
  }
  for (const std::int64_t extent : wanted) {
    if (extent < kInferred)
      throw InputError(fmt::format("input 1 (shape): extent {} is below -1", extent));
  }
}

std::int64_t product(Shape::const_iterator begin, Shape::const_iterator end) {
  return element_count({begin, end});
}

}  // namespace

ValueTypes infer_reshape(const NodeTypes& node) {
  const Shape& in = shape_of(node, 0);
  Shape wanted = known_list(node, 1);
  const bool allow_zero = node.attributes.integer("allowzero", 0) != 0;
  expect_shape_list(wanted, allow_zero);
  if (!allow_zero) copy_zeros(wanted, in);
  const std::int64_t count = element_count(in);
  const auto inferred = std::ranges::find(wanted, kInferred);
  if (inferred != wanted.end()) *inferred = inferred_extent(wanted, count);
  if (element_count(wanted) != count) {
    throw InputError(fmt::format("{} elements of shape {} cannot take the shape {}", count,
                                 to_string(in), to_string(wanted)));
  }
  return {{input(node, 0).type, std::move(wanted)}};
}

ValueTypes infer_flatten(const NodeTypes& node) {
  const Shape& in = shape_of(node, 0);
  const std::int64_t rank = rank_of(in);
  std::int64_t axis = node.attributes.integer("axis", 1);
  if (axis < -rank || axis > rank) {
    throw InputError(fmt::format("axis {} is outside [{}, {}]", axis, -rank, rank));
  }
  if (axis < 0) axis += rank;
  const auto middle = in.begin() + axis;
  return {{input(node, 0).type, {product(in.begin(), middle), product(middle, in.end())}}};
}

ValueTypes infer_squeeze(const NodeTypes& node) {
  Shape shape = shape_of(node, 0);
  if (optional_input(node, 1) == nullptr) {
    std::erase(shape, 1);
    return {{input(node, 0).type, std::move(shape)}};
  }
  std::vector<std::int64_t> axes = normalized_axes(known_list(node, 1), rank_of(shape));
  std::ranges::sort(axes, std::greater<>());
  for (const std::int64_t axis : axes) {
    const auto extent = shape.begin() + axis;
    if (*extent != 1) throw InputError(fmt::format("axis {} has extent {}, not 1", axis, *extent));
    shape.erase(extent);
  }
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_unsqueeze(const NodeTypes& node) {
  Shape shape = shape_of(node, 0);
  const std::vector<std::int64_t> named = known_list(node, 1);
  std::vector<std::int64_t> axes = normalized_axes(named, rank_of(shape) + rank_of(named));
  std::ranges::sort(axes);
  for (const std::int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
  return {{input(node, 0).type, std::move(shape)}};
}

}  // namespace weft::graph
