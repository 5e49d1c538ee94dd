// Softmax, reductions, running sums and choices along axes.
#include <algorithm>

#include "compiler/autodiff/first_extreme.h"
#include "compiler/autodiff/rules.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"

namespace weft::autodiff {
namespace {

using graph::Tensor;

constexpr std::int64_t kMostPositions = std::int64_t{1} << 24;

Ints softmax_axis(NodeGradient& g) {
  return {graph::normalized_axis(g.attributes().integer("axis", -1), g.rank(g.dy()))};
}

/// The axes of a reduction, from an attribute, or from an input for ReduceSum. An empty list means
/// all axes, or no axes with noop_with_empty_axes.
Ints reduced_axes(NodeGradient& g) {
  const bool is_sum = g.node().op == Op::kReduceSum;
  const std::int64_t rank = g.rank(g.input(0));
  Ints axes = is_sum ? Ints{} : g.attributes().integers("axes");
  if (is_sum && g.input(1) != graph::kNoValue) axes = g.known(1);
  const bool none = is_sum && g.attributes().integer("noop_with_empty_axes", 0) != 0;
  if (axes.empty() && !none) return iota(rank);
  for (std::int64_t& axis : axes) axis = graph::normalized_axis(axis, rank);
  return axes;
}

/// The shape of the result with extent 1 for each reduced axis.
Shape kept_shape(NodeGradient& g, const Ints& axes) {
  Shape shape = g.shape(g.input(0));
  for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

/// The numbers 0, 1, ... in row-major order over `axes` of `shape`; the other axes have extent 1.
graph::Constant positions(const Shape& shape, const Ints& axes) {
  Shape grid(shape.size(), 1);
  for (const std::int64_t axis : axes) {
    grid[static_cast<std::size_t>(axis)] = shape[static_cast<std::size_t>(axis)];
  }
  const graph::ValueType type{graph::DataType::kFloat32, grid};
  return {type, [type] {
            Tensor tensor(type);
            float next = 0;
            for (float& value : tensor.mutable_data<float>()) value = next++;
            return tensor;
          }};
}

}  // namespace

ValueId to_first_extreme(NodeGradient& g, ValueId y, ValueId dy, const Ints& axes) {
  const ValueId x = g.input(0);
  const Shape shape = g.shape(x);
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= shape[static_cast<std::size_t>(axis)];
  if (count > kMostPositions)
    g.refuse("a maximum or minimum over more than 2^24 elements is not supported");
  const ValueId numbers = g.constant(positions(shape, axes), "positions");
  const ValueId is_extreme = g.add(Op::kEqual, {x, y});
  const ValueId candidates =
      g.where(is_extreme, numbers, g.number(numbers, static_cast<double>(count)));
  const ValueId first =
      g.add(Op::kReduceMin, {candidates}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  const ValueId is_first = g.add(Op::kEqual, {numbers, first});
  return g.where(is_first, dy, g.number(dy, 0));
}

namespace {

// dx = y (dy - sum(y dy))
void softmax_gradient(NodeGradient& g) {
  const ValueId y = g.output();
  const ValueId sum = g.reduce_sum(g.mul(y, g.dy()), softmax_axis(g));
  g.give(0, g.mul(y, g.add(Op::kSub, {g.dy(), sum})));
}

// dx = dy - softmax sum(dy), with softmax = exp(y)
void log_softmax_gradient(NodeGradient& g) {
  const ValueId sum = g.reduce_sum(g.dy(), softmax_axis(g));
  const ValueId softmax = g.add(Op::kExp, {g.output()});
  g.give(0, g.add(Op::kSub, {g.dy(), g.mul(softmax, sum)}));
}

void reduce_sum_gradient(NodeGradient& g) {
  const ValueId dy = g.reshape(g.dy(), kept_shape(g, reduced_axes(g)));
  g.give(0, g.expand(dy, g.shape(g.input(0))));
}

void reduce_mean_gradient(NodeGradient& g) {
  const Shape x = g.shape(g.input(0));
  const double elements = static_cast<double>(graph::element_count(x));
  const double results = static_cast<double>(graph::element_count(g.shape(g.dy())));
  const ValueId part = g.divided(g.dy(), results == 0 ? 1 : elements / results);
  g.give(0, g.expand(g.reshape(part, kept_shape(g, reduced_axes(g))), x));
}

/// The derivative by an element is the product of the others. The rule divides the product of all
/// elements that are not 0, and gives 0 where another element is 0.
void reduce_prod_gradient(NodeGradient& g) {
  const ValueId x = g.input(0);
  const Ints axes = reduced_axes(g);
  const ValueId zero = g.number(x, 0);
  const ValueId one = g.number(x, 1);
  const ValueId is_zero = g.add(Op::kEqual, {x, zero});
  const ValueId factors = g.where(is_zero, one, x);
  const ValueId product =
      g.add(Op::kReduceProd, {factors}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  const ValueId own = g.where(is_zero, one, zero);
  const ValueId other_zeros = g.add(Op::kSub, {g.reduce_sum(own, axes), own});
  const ValueId others = g.add(Op::kDiv, {product, factors});
  const ValueId dy = g.reshape(g.dy(), kept_shape(g, axes));
  g.give(0, g.where(g.less(other_zeros, 0.5), g.mul(others, dy), zero));
}

// Each element is part of the sums from its own on, or before it if the sums are reversed.
void cum_sum_gradient(NodeGradient& g) {
  Attributes attributes = g.attributes();
  attributes.set("reverse", std::int64_t{g.attributes().integer("reverse", 0) == 0});
  g.give(0, g.add(Op::kCumSum, {g.dy(), g.input(1)}, attributes));
}

// The network may not use the indices; then the rule makes them.
void top_k_gradient(NodeGradient& g) {
  const bool has_indices = g.node().outputs.size() > 1 && g.output(1) != graph::kNoValue;
  const ValueId indices =
      has_indices ? g.output(1)
                  : g.add_outputs(Op::kTopK, {g.input(0), g.input(1)}, g.attributes(), 2).back();
  const std::int64_t axis = g.attributes().integer("axis", -1);
  g.give(0, g.add(Op::kScatterElements,
                  {g.zeros({g.type(g.dy()), g.shape(g.input(0))}), indices, g.dy()},
                  {{"axis", axis}}));
}

void reduce_extreme_gradient(NodeGradient& g) {
  const Ints axes = reduced_axes(g);
  const Shape kept = kept_shape(g, axes);
  g.give(0, to_first_extreme(g, g.reshape(g.output(), kept), g.reshape(g.dy(), kept), axes));
}

}  // namespace

Rules reduction_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kSoftmax, softmax_gradient},
      {Op::kLogSoftmax, log_softmax_gradient},
      {Op::kReduceMean, reduce_mean_gradient},
      {Op::kReduceSum, reduce_sum_gradient},
      {Op::kReduceMax, reduce_extreme_gradient},
      {Op::kReduceMin, reduce_extreme_gradient},
      {Op::kReduceProd, reduce_prod_gradient},
      {Op::kCumSum, cum_sum_gradient},
      {Op::kTopK, top_k_gradient},
      RuleEntry::none(Op::kArgMax, "its result is an index"),
      RuleEntry::none(Op::kArgMin, "its result is an index"),
  });
  return kRules;
}

}  // namespace weft::autodiff
