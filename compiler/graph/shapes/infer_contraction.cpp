// Convolutions and matrix products.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/inference.h"
#include "compiler/graph/shapes/windows.h"

namespace weft::graph {
namespace {

constexpr std::size_t kLeastImageRank = 3;  // [N, C, one to three spatial dimensions]
constexpr std::size_t kMostImageRank = 5;

Shape kernel_of(const NodeTypes& node, const Shape& weights) {
  Shape kernel(weights.begin() + 2, weights.end());
  const Shape named = node.attributes.integers("kernel_shape", kernel);
  if (named != kernel) {
    throw InputError(fmt::format("attribute kernel_shape: {}, but the weights' kernel is {}",
                                 to_string(named), to_string(kernel)));
  }
  return kernel;
}

// Returns the group count after checking that the input's channels are divided into groups of
// `channels_per_group`.
std::int64_t checked_group(const NodeTypes& node, std::int64_t channels,
                           std::int64_t channels_per_group) {
  const std::int64_t group = node.attributes.integer("group", 1);
  if (group < 1) throw InputError(fmt::format("attribute group: {} is below 1", group));
  if (checked_mul(channels_per_group, group) != channels) {
    throw InputError(
        fmt::format("the input has {} channels, but the weights are for {} in {} groups", channels,
                    channels_per_group * group, group));
  }
  return group;
}

void expect_images(const NodeTypes& node, std::size_t x, std::size_t w) {
  expect_rank(node, x, kLeastImageRank, kMostImageRank);
  const std::size_t rank = shape_of(node, x).size();
  expect_rank(node, w, rank, rank);
}

Shape image_shape(std::int64_t batch, std::int64_t channels, const std::vector<WindowDim>& dims) {
  Shape result = {batch, channels};
  for (const WindowDim& dim : dims) result.push_back(dim.output);
  return result;
}

// The output of a contraction with an optional residual (input 3) and activation.
ValueTypes fused_result(const NodeTypes& node, Shape shape) {
  expect_shape(node, 3, shape);
  check_activation(node, true);
  return {{input(node, 0).type, std::move(shape)}};
}

}  // namespace

void check_activation(const NodeTypes& node, bool any_unary) {
  const Attributes& attributes = node.attributes;
  if (!attributes.has("activation")) {
    if (attributes.has("activation_alpha") || attributes.has("activation_beta")) {
      throw InputError("attribute activation is missing, but its alpha or beta is given");
    }
    return;
  }
  const std::string name = attributes.text("activation", "");
  const std::optional<Op> op = op_from_string(name);
  if (op && has(*op, any_unary ? Trait::kFunction : Trait::kClamps)) return;
  throw InputError(fmt::format("attribute activation: {} does not support '{}'", to_string(node.op),
                               one_line(name)));
}

Shape conv_shape(const NodeTypes& node, std::size_t x, std::size_t w) {
  expect_images(node, x, w);
  const Shape& in = shape_of(node, x);
  const Shape& weights = shape_of(node, w);
  const std::int64_t group = checked_group(node, in[1], weights[1]);
  if (weights[0] % group != 0) {
    throw InputError(
        fmt::format("{} output channels are not divisible by {} groups", weights[0], group));
  }
  const Shape kernel = kernel_of(node, weights);
  return image_shape(in[0], weights[0], resolve_windows(node.attributes, in, kernel));
}

Shape matmul_shape(const NodeTypes& node, std::size_t a, std::size_t b) {
  expect_rank(node, a, 1, kAnyNumber);
  expect_rank(node, b, 1, kAnyNumber);
  Shape left = shape_of(node, a);
  Shape right = shape_of(node, b);
  // A vector gets an extent of 1, which the result does not keep.
  const bool row = left.size() == 1;
  const bool column = right.size() == 1;
  if (row) left.insert(left.begin(), 1);
  if (column) right.push_back(1);
  if (left.back() != right[right.size() - 2]) {
    throw InputError(fmt::format("shapes {} and {} cannot be multiplied",
                                 to_string(shape_of(node, a)), to_string(shape_of(node, b))));
  }
  Shape result = broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
  if (!row) result.push_back(left[left.size() - 2]);
  if (!column) result.push_back(right.back());
  return result;
}

ValueTypes infer_conv(const NodeTypes& node) {
  Shape shape = conv_shape(node, 0, 1);
  expect_shape(node, 2, {shape[1]});
  return fused_result(node, std::move(shape));
}

ValueTypes infer_conv_transpose(const NodeTypes& node) {
  expect_images(node, 0, 1);
  const Shape& in = shape_of(node, 0);
  const Shape& weights = shape_of(node, 1);  // [C, M / group, kernel...]
  const std::int64_t group = node.attributes.integer("group", 1);
  if (group < 1 || weights[0] != in[1] || in[1] % group != 0) {
    throw InputError(fmt::format("{} channels, weights for {} and {} groups do not fit together",
                                 in[1], weights[0], group));
  }
  const std::int64_t channels = checked_mul(weights[1], group);
  expect_shape(node, 2, {channels});
  const Shape kernel = kernel_of(node, weights);
  const auto dims = resolve_transposed_windows(node.attributes, in, kernel);
  return {{input(node, 0).type, image_shape(in[0], channels, dims)}};
}

ValueTypes infer_matmul(const NodeTypes& node) {
  Shape shape = matmul_shape(node, 0, 1);
  if (optional_input(node, 2) != nullptr) {
    expect_rank(node, 1, 2, kAnyNumber);
    expect_shape(node, 2, {shape.back()});
  }
  return fused_result(node, std::move(shape));
}

ValueTypes infer_gemm(const NodeTypes& node) {
  expect_rank(node, 0, 2, 2);
  expect_rank(node, 1, 2, 2);
  Shape a = shape_of(node, 0);
  Shape b = shape_of(node, 1);
  if (node.attributes.integer("transA", 0) != 0) std::swap(a[0], a[1]);
  if (node.attributes.integer("transB", 0) != 0) std::swap(b[0], b[1]);
  if (a[1] != b[0]) {
    throw InputError(
        fmt::format("shapes {} and {} cannot be multiplied", to_string(a), to_string(b)));
  }
  Shape shape = {a[0], b[1]};
  expect_broadcastable_to(node, 2, shape);
  return fused_result(node, std::move(shape));
}

}  // namespace weft::graph
