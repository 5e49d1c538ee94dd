// Operators whose indices name elements, runs of elements or places of the data. Indices are
// elements, so only the kernels can check their ranges.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

constexpr double kMostDepth = 0x1p62;

std::size_t axis_of(const NodeTypes& node, std::int64_t otherwise, std::int64_t rank) {
  return static_cast<std::size_t>(
      normalized_axis(node.attributes.integer("axis", otherwise), rank));
}

[[noreturn]] void refuse_indices(const NodeTypes& node, std::string_view why) {
  throw InputError(
      fmt::format("{}: the shape {} {}", input_label(node, 1), to_string(shape_of(node, 1)), why));
}

// Beside the axis, index p picks an element at its own position, so the data must reach so far.
void expect_indices_inside(const NodeTypes& node) {
  const Shape& data = shape_of(node, 0);
  const Shape& indices = shape_of(node, 1);
  const std::size_t axis = axis_of(node, 0, rank_of(data));
  expect_rank(node, 1, data.size(), data.size());
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (d != axis && indices[d] > data[d]) {
      refuse_indices(node,
                     fmt::format("exceeds the data's {} beside axis {}", to_string(data), axis));
    }
  }
}

// The length of the index tuples: the last extent of the indices, from 1 to `most`.
std::size_t tuple_length(const NodeTypes& node, std::int64_t most) {
  expect_rank(node, 1, 1, kAnyNumber);
  const std::int64_t length = shape_of(node, 1).back();
  if (length < 1 || length > most) {
    refuse_indices(node, fmt::format("does not end with an extent from 1 to {}", most));
  }
  return static_cast<std::size_t>(length);
}

// One run of the data for each tuple. A run has the dimensions of the data from `first` on.
Shape shape_of_runs(const NodeTypes& node, std::size_t first) {
  const Shape& data = shape_of(node, 0);
  Shape shape(shape_of(node, 1).begin(), shape_of(node, 1).end() - 1);
  shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(first), data.end());
  return shape;
}

void check_reduction(const NodeTypes& node) {
  expect_one_of(node.attributes, "reduction", "none", {"none", "add", "mul", "max", "min"});
  const bool combines = node.attributes.text("reduction", "none") != "none";
  if (combines && input(node, 0).type == DataType::kBool) {
    throw InputError("attribute reduction: truth values can only be replaced");
  }
}

// Depths may be given as floating-point numbers, which are cut to integers.
std::int64_t depth_of(const NodeTypes& node) {
  expect_scalar(node, 1);
  const double depth = std::trunc(known_reals(node, 1).front());
  if (!(depth >= 0 && depth <= kMostDepth)) {
    throw InputError(fmt::format("{}: {} is not a valid extent", input_label(node, 1), depth));
  }
  return static_cast<std::int64_t>(depth);
}

}  // namespace

ValueTypes infer_gather_elements(const NodeTypes& node) {
  expect_indices_inside(node);
  return {{input(node, 0).type, shape_of(node, 1)}};
}

ValueTypes infer_gather_nd(const NodeTypes& node) {
  const Shape& data = shape_of(node, 0);
  const Shape& indices = shape_of(node, 1);
  const std::int64_t batch_dims = node.attributes.integer("batch_dims", 0);
  if (batch_dims < 0 || batch_dims >= std::min(rank_of(data), rank_of(indices))) {
    throw InputError(
        fmt::format("attribute batch_dims: {} must be from 0 to below both ranks", batch_dims));
  }
  if (!std::equal(data.begin(), data.begin() + batch_dims, indices.begin())) {
    refuse_indices(node, fmt::format("does not begin with the {} batch dimensions of {}",
                                     batch_dims, to_string(data)));
  }
  const std::size_t length = tuple_length(node, rank_of(data) - batch_dims);
  return {
      {input(node, 0).type, shape_of_runs(node, static_cast<std::size_t>(batch_dims) + length)}};
}

ValueTypes infer_scatter_elements(const NodeTypes& node) {
  expect_indices_inside(node);
  expect_shape(node, 2, shape_of(node, 1));
  check_reduction(node);
  return {input(node, 0)};
}

ValueTypes infer_scatter_nd(const NodeTypes& node) {
  const std::size_t length = tuple_length(node, rank_of(shape_of(node, 0)));
  expect_shape(node, 2, shape_of_runs(node, length));
  check_reduction(node);
  return {input(node, 0)};
}

ValueTypes infer_one_hot(const NodeTypes& node) {
  Shape shape = shape_of(node, 0);
  expect_shape(node, 2, {2});
  const std::size_t axis = axis_of(node, -1, rank_of(shape) + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth_of(node));
  return {{input(node, 2).type, std::move(shape)}};
}

ValueTypes infer_grid_sample(const NodeTypes& node) {
  const Attributes& attributes = node.attributes;
  expect_one_of(attributes, "mode", "bilinear", {"bilinear", "nearest", "bicubic"});
  expect_one_of(attributes, "padding_mode", "zeros", {"zeros", "border", "reflection"});
  expect_rank(node, 0, 4, 4);
  expect_rank(node, 1, 4, 4);
  const Shape& images = shape_of(node, 0);
  const Shape& grid = shape_of(node, 1);
  expect_shape(node, 1, {images[0], grid[1], grid[2], 2});
  if (images[2] == 0 || images[3] == 0) throw InputError("input 0 (X): the images are empty");
  return {{input(node, 0).type, {images[0], images[1], grid[1], grid[2]}}};
}

}  // namespace weft::graph
