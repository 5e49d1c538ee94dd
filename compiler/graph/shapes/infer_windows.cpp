// Pools and normalizations.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"
#include "compiler/graph/shapes/windows.h"

namespace weft::graph {
namespace {

// Refuses windows that contain only padding: they have no maximum and no average.
void expect_elements(const WindowDim& dim) {
  if (dim.pad_begin >= dim.kernel || dim.pad_end >= dim.kernel) {
    throw InputError(fmt::format("attribute pads: {} and {} must be below the kernel, {}",
                                 dim.pad_begin, dim.pad_end, dim.kernel));
  }
  if (dim.input == 0 && dim.output > 0) throw InputError("a window contains no elements");
}

Shape pool_shape(const NodeTypes& node) {
  expect_rank(node, 0, 3, 5);
  const Shape& in = shape_of(node, 0);
  if (!node.attributes.has("kernel_shape")) throw InputError("attribute kernel_shape is missing");
  Shape result = {in[0], in[1]};
  const Shape kernel = node.attributes.integers("kernel_shape");
  for (const WindowDim& dim : resolve_windows(node.attributes, in, kernel)) {
    expect_elements(dim);
    result.push_back(dim.output);
  }
  return result;
}

// Input 0 is [N, C, ...]; inputs 1 to `last` have one element per channel.
ValueTypes per_channel(const NodeTypes& node, std::size_t least_rank, std::size_t last) {
  expect_rank(node, 0, least_rank, kAnyNumber);
  for (std::size_t i = 1; i <= last; ++i) expect_shape(node, i, {shape_of(node, 0)[1]});
  return {input(node, 0)};
}

}  // namespace

ValueTypes infer_max_pool(const NodeTypes& node) {
  const Shape shape = pool_shape(node);
  return {{input(node, 0).type, shape}, {DataType::kInt64, shape}};
}

ValueTypes infer_average_pool(const NodeTypes& node) {
  return {{input(node, 0).type, pool_shape(node)}};
}

ValueTypes infer_global_pool(const NodeTypes& node) {
  expect_rank(node, 0, 3, kAnyNumber);
  Shape shape = shape_of(node, 0);
  std::fill(shape.begin() + 2, shape.end(), 1);
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_batch_normalization(const NodeTypes& node) {
  if (node.attributes.integer("training_mode", 0) != 0) {
    throw InputError("attribute training_mode: training is not supported");
  }
  if (node.outputs > 1) {
    throw InputError("running statistics are outputs of training, which is not supported");
  }
  return per_channel(node, 2, 4);
}

ValueTypes infer_instance_normalization(const NodeTypes& node) {
  return per_channel(node, 3, 2);
}

ValueTypes infer_layer_normalization(const NodeTypes& node) {
  const Shape& in = shape_of(node, 0);
  const std::int64_t axis = normalized_axis(node.attributes.integer("axis", -1), rank_of(in));
  const Shape normalized(in.begin() + axis, in.end());
  expect_shape(node, 1, normalized);
  expect_shape(node, 2, normalized);
  if (node.attributes.integer("stash_type", 1) != 1) {
    throw InputError("attribute stash_type: only 1 (float32) is supported");
  }
  Shape statistics = in;
  std::fill(statistics.begin() + axis, statistics.end(), 1);
  const ValueType statistic = {DataType::kFloat32, std::move(statistics)};
  return {input(node, 0), statistic, statistic};
}

ValueTypes infer_lrn(const NodeTypes& node) {
  expect_rank(node, 0, 2, kAnyNumber);
  if (required_integer(node, "size") < 1) throw InputError("attribute size: must be at least 1");
  return {input(node, 0)};
}

}  // namespace weft::graph
