#include "compiler/autodiff/normalization.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/autodiff/rules.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"

namespace weft::autodiff {
namespace {

using graph::Builder;
using graph::kNoValue;
using graph::Node;

constexpr std::size_t kNormalized = 0;  // indices into ForwardNode::saved
constexpr std::size_t kDeviation = 1;

Ints normalized_axes(const Node& node, const Shape& x) {
  const auto rank = static_cast<std::int64_t>(x.size());
  if (node.op == Op::kLayerNormalization) {
    const auto axis = graph::normalized_axis(node.attributes.integer("axis", -1), rank);
    return iota(rank - axis, axis);
  }
  Ints axes;
  if (node.op == Op::kBatchNormalization) axes.push_back(0);
  for (std::int64_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

/// The shape in which scale and bias broadcast over x: [C, 1, ...], or their own shape for a layer
/// normalization.
Shape parameter_shape(const Node& node, const Shape& x, const Shape& scale) {
  if (node.op == Op::kLayerNormalization) return scale;
  Shape shape = {x.at(1)};
  shape.resize(x.size() - 1, 1);
  return shape;
}

struct Normalized {
  ValueId mean, variance, deviation, values;
};

Normalized normalize(Emitter& emit, ValueId x, const Ints& axes, float epsilon) {
  const ValueId mean = emit.reduce_mean(x, axes);
  const ValueId centered = emit.add(Op::kSub, {x, mean});
  const ValueId variance = emit.reduce_mean(emit.mul(centered, centered), axes);
  const ValueId shifted = emit.add(Op::kAdd, {variance, emit.number(x, double{epsilon})});
  const ValueId deviation = emit.add(Op::kSqrt, {shifted});
  return {mean, variance, deviation, emit.add(Op::kDiv, {centered, deviation})};
}

struct WrittenOut {
  ForwardNode step;
  Normalized normalized;
};

WrittenOut written_out(Builder& builder, const Node& node, std::vector<ValueId> inputs) {
  Emitter emit(builder, node.name);
  const ValueId x = inputs[0];
  const Shape shape = emit.shape(x);
  const Shape wide = parameter_shape(node, shape, emit.shape(inputs[1]));
  const float epsilon = node.attributes.real("epsilon", 1e-5F);
  const Normalized parts = normalize(emit, x, normalized_axes(node, shape), epsilon);
  ValueId y = emit.mul(parts.values, emit.reshape(inputs[1], wide));
  if (inputs.size() > 2 && inputs[2] != kNoValue) {
    y = emit.add(Op::kAdd, {y, emit.reshape(inputs[2], wide)});
  }
  ForwardNode step{{node.op, node.name, std::move(inputs), {y}, node.attributes},
                   {parts.values, parts.deviation}};
  return {std::move(step), parts};
}

ValueId updated(Emitter& emit, ValueId running, ValueId batch, float momentum) {
  const ValueId now = emit.reshape(batch, emit.shape(running));
  return emit.add(Op::kAdd,
                  {emit.scaled(running, double{momentum}), emit.scaled(now, 1 - double{momentum})});
}

/// Gives the gradient of the scale or bias. `sum` may still have axes to sum over.
void give_parameter(NodeGradient& g, std::size_t i, ValueId sum, const Shape& wide) {
  if (g.needs(i)) g.give(i, g.reshape(g.reduce_to(sum, wide), g.shape(g.input(i))));
}

}  // namespace

ForwardNode training_form(Builder& builder, const Node& node, std::vector<ValueId> inputs) {
  const auto wanted = [](ValueId output) { return output != kNoValue; };
  if (std::any_of(node.outputs.begin() + 1, node.outputs.end(), wanted)) {
    throw InputError(node_label(node) +
                     ": training: the outputs for mean and deviation are not supported");
  }
  return written_out(builder, node, std::move(inputs)).step;
}

TrainedBatchNorm train_batch_norm(Builder& builder, const Node& node, std::vector<ValueId> inputs) {
  const ValueId mean = inputs[3];
  const ValueId variance = inputs[4];
  const float momentum = node.attributes.real("momentum", 0.9F);
  inputs.resize(3);
  WrittenOut form = written_out(builder, node, std::move(inputs));
  Emitter emit(builder, node.name + "/running");
  return {std::move(form.step), updated(emit, mean, form.normalized.mean, momentum),
          updated(emit, variance, form.normalized.variance, momentum)};
}

namespace {

// If the scale is constant along the normalized axes, it factors out of the sums. The gradients of
// scale and bias can then use the same sums.
void normalization_gradient(NodeGradient& g) {
  const Shape x = g.shape(g.input(0));
  const Ints axes = normalized_axes(g.node(), x);
  const Shape wide = parameter_shape(g.node(), x, g.shape(g.input(1)));
  const bool varies = g.node().op == Op::kLayerNormalization;
  const ValueId n = g.saved(kNormalized);
  const ValueId scale = g.reshape(g.input(1), wide);
  const ValueId p = varies && g.needs(0) ? g.mul(g.dy(), scale) : g.dy();
  const ValueId pn = g.needs(0) || g.needs(1) ? g.mul(p, n) : kNoValue;
  const ValueId sum_p = g.needs(0) || !varies ? g.reduce_sum(p, axes) : kNoValue;
  const ValueId sum_pn = pn != kNoValue ? g.reduce_sum(pn, axes) : kNoValue;
  if (g.needs(1)) give_parameter(g, 1, varies ? g.mul(g.dy(), n) : sum_pn, wide);
  if (g.needs(2)) give_parameter(g, 2, varies ? g.dy() : sum_p, wide);
  if (!g.needs(0)) return;
  double count = 1;
  for (const std::int64_t axis : axes)
    count *= static_cast<double>(x[static_cast<std::size_t>(axis)]);
  const ValueId centered = g.add(Op::kSub, {p, g.divided(sum_p, count)});
  const ValueId rest = g.add(Op::kSub, {centered, g.mul(n, g.divided(sum_pn, count))});
  const ValueId dx = g.add(Op::kDiv, {rest, g.saved(kDeviation)});
  g.give(0, varies ? dx : g.mul(dx, scale));
}

}  // namespace

Rules normalization_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kBatchNormalization, normalization_gradient},
      {Op::kInstanceNormalization, normalization_gradient},
      {Op::kLayerNormalization, normalization_gradient},
      RuleEntry::none(Op::kLrn, "no rule yet: networks that train use other normalizations"),
  });
  return kRules;
}

}  // namespace weft::autodiff
