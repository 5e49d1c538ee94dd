// Normalizations that the graph lacks.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/composite/recipes.h"

namespace weft::onnx_io {

using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

constexpr std::int64_t kFloat32 = 1;  // in TensorProto.DataType

void require_float32_stages(const Assembly& node) {
  if (node.attributes().integer("stash_type", kFloat32) == kFloat32) return;
  throw InputError("attribute stash_type: only 1 (float32) is supported");
}

/// Throws InputError unless `value` has one element per channel or group.
void require_list(const Assembly& node, std::size_t i, std::string_view name, std::int64_t count) {
  if (node.shape(node.input(i)) == Shape{count}) return;
  throw InputError(fmt::format("input {} ({}): shape {}, not {}", i, name,
                               graph::to_string(node.shape(node.input(i))), count));
}

/// `count` zeros or ones.
Tensor filled(DataType type, std::int64_t count, bool ones) {
  require_list_length(count);
  Tensor tensor(type, {count});
  if (!ones) return tensor;
  graph::with_type(type, [&]<class T>(T) {
    T one{};
    if constexpr (std::is_same_v<T, graph::Half>) {
      one = {0x3C00};
    } else {
      one = static_cast<T>(1);
    }
    std::ranges::fill(tensor.mutable_data<T>(), one);
  });
  return tensor;
}

/// The list of one element per channel, aligned with dimension 1 of `rank` dimensions.
ValueId along_channels(Assembly& node, ValueId list, std::int64_t rank) {
  Shape shape(static_cast<std::size_t>(rank - 1), 1);
  shape[0] = node.shape(list)[0];
  return node.reshape(list, shape);
}

std::int64_t checked_groups(const Assembly& node, const Shape& shape) {
  if (shape.size() < 2) throw InputError("input 0 (X): needs at least 2 dimensions");
  const std::int64_t groups = node.attributes().integer("num_groups", 0);
  if (groups < 1 || shape[1] % groups != 0) {
    throw InputError(
        fmt::format("attribute num_groups: {} does not divide {} channels", groups, shape[1]));
  }
  return groups;
}

/// The mean along the axes, which stay.
ValueId mean(Assembly& node, ValueId value, const std::vector<std::int64_t>& axes) {
  return node.add(Op::kReduceMean, {value}, {{"axes", axes}});
}

ValueId square(Assembly& node, ValueId value) {
  return node.add(Op::kMul, {value, value});
}

}  // namespace

ValueId compose_group_normalization(Assembly& node) {
  require_float32_stages(node);
  const ValueId x = node.input(0);
  const Shape shape = node.shape(x);
  const std::int64_t groups = checked_groups(node, shape);
  const bool is_per_group = node.opset() < 21;
  const std::int64_t count = is_per_group ? groups : shape[1];
  require_list(node, 1, "scale", count);
  require_list(node, 2, "bias", count);

  // A group is a channel of its own: all its elements follow one another.
  std::int64_t length = shape[1] / groups;
  for (std::size_t i = 2; i < shape.size(); ++i) length = graph::checked_mul(length, shape[i]);
  const ValueId grouped = node.reshape(x, {shape[0], groups, length});
  const DataType type = node.type(x);
  const bool takes_lists = count == groups;
  const ValueId scale = takes_lists ? node.input(1) : node.constant(filled(type, groups, true));
  const ValueId bias = takes_lists ? node.input(2) : node.constant(filled(type, groups, false));
  const ValueId normal =
      node.reshape(node.add(Op::kInstanceNormalization, {grouped, scale, bias},
                            {{"epsilon", node.attributes().real("epsilon", 1e-5F)}}),
                   shape);
  if (takes_lists) return normal;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const ValueId scaled = node.add(Op::kMul, {normal, along_channels(node, node.input(1), rank)});
  return node.add(Op::kAdd, {scaled, along_channels(node, node.input(2), rank)});
}

ValueId compose_rms_normalization(Assembly& node) {
  require_float32_stages(node);
  const ValueId x = node.input(0);
  const std::int64_t rank = node.rank(x);
  const std::int64_t first = graph::normalized_axis(node.attributes().integer("axis", -1), rank);
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  // Squares of float16 overflow, so the first stage is in float32.
  const bool is_half = node.type(x) == DataType::kFloat16;
  const ValueId wide = is_half ? node.cast(x, DataType::kFloat32) : x;
  const ValueId epsilon =
      node.number(static_cast<double>(node.attributes().real("epsilon", 1e-5F)), node.type(wide));
  const ValueId power = node.add(Op::kAdd, {mean(node, square(node, wide), axes), epsilon});
  const ValueId normal = node.add(Op::kDiv, {wide, node.add(Op::kSqrt, {power})});
  const ValueId scale = node.input(1);
  const Shape result = graph::broadcast(node.shape(x), node.shape(scale));
  if (result != node.shape(x)) {
    throw InputError(fmt::format("input 1 (scale): {} does not broadcast to {}",
                                 graph::to_string(node.shape(scale)),
                                 graph::to_string(node.shape(x))));
  }
  const ValueId rounded = node.cast(node.cast(normal, node.type(x)), node.type(scale));
  return node.add(Op::kMul, {rounded, scale});
}

ValueId compose_mean_variance_normalization(Assembly& node) {
  const ValueId x = node.input(0);
  const auto axes =
      graph::normalized_axes(node.attributes().integers("axes", {0, 2, 3}), node.rank(x));
  if (axes.empty()) throw InputError("attribute axes: names no axis");
  const ValueId centered = node.add(Op::kSub, {x, mean(node, x, axes)});
  const ValueId deviation = node.add(Op::kSqrt, {mean(node, square(node, centered), axes)});
  constexpr double kLeast = 1e-9;  // from ONNX's definition as a function
  const ValueId divisor = node.add(Op::kAdd, {deviation, node.number(kLeast, node.type(x))});
  return node.add(Op::kDiv, {centered, divisor});
}

}  // namespace weft::onnx_io
