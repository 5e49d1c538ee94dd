// Every operator must have an error bound or a reason why it needs none, and what the bounds of
// element-wise functions assume must hold.
#include "runtime/rounding_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "compiler/graph/operator_table.h"

namespace weft::runtime {
namespace {

using graph::DataType;
using graph::Op;
using graph::Tensor;
using graph::Trait;

std::vector<Op> functions() {
  std::vector<Op> result;
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    if (has(static_cast<Op>(i), Trait::kFunction)) result.push_back(static_cast<Op>(i));
  }
  return result;
}

/// A graph y = op(x) of `count` numbers.
graph::Graph graph_of(Op op, std::int64_t count) {
  graph::Builder builder("function");
  const graph::ValueId x = builder.input("x", {DataType::kFloat32, {count}});
  builder.output(builder.add(op, {x}), "y");
  return builder.finish();
}

/// The function of each element, in float64.
std::vector<double> values(Op op, const std::vector<double>& x) {
  const graph::Graph graph = graph_of(op, std::ssize(x));
  const Tensor given = Tensor::vector(x);
  const Tensor* operand = &given;
  const auto results = evaluate_in_double(graph, graph.nodes[0], {&operand, 1}, {});
  const auto y = results[0].data<double>();
  return {y.begin(), y.end()};
}

/// From `low` to `high` in steps of 1/64. A partial function has a pole or an edge at 0.
std::vector<double> grid(Op op, double low, double high) {
  std::vector<double> x;
  for (double at = low; at <= high; at += 1.0 / 64) {
    if (!has(op, Trait::kPartial) || at > 0) x.push_back(at);
  }
  return x;
}

// docs/numerics.md, "Bounds of layers": the error of an argument moves the result of a monotonic
// function by at most what moving the argument by that error does; others need a slope of 1.5.
TEST(RoundingBoundsTest, FunctionsAreMonotonicOrHaveASmallSlope) {
  for (const Op op : functions()) {
    const std::vector<double> x = grid(op, -12, 12);
    const std::vector<double> y = values(op, x);
    const bool monotonic = std::ranges::is_sorted(y) || std::ranges::is_sorted(y, std::greater<>());
    double slope = 0;
    for (std::size_t i = 1; i < y.size(); ++i) {
      slope = std::max(slope, std::abs(y[i] - y[i - 1]) / (x[i] - x[i - 1]));
    }
    EXPECT_TRUE(monotonic || slope <= 1.5) << to_string(op) << ", slope " << slope;
  }
}

TEST(RoundingBoundsTest, EveryFunctionHasABoundThatItsFloat32RoundingKeeps) {
  for (const Op op : functions()) {
    const std::vector<double> x = grid(op, -3, 3);
    const graph::Graph graph = graph_of(op, std::ssize(x));
    const auto operand = [&](std::size_t) { return Tensor::vector(x); };
    const auto is_held = [](graph::ValueId) { return true; };
    const BoundedResult result =
        bounded_result({graph, graph.nodes[0], operand, is_held, ElementType::kBf16, true});
    const auto y = result.expected.data<double>();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double rounding = std::abs(static_cast<double>(static_cast<float>(y[i])) - y[i]);
      ASSERT_LE(rounding, result.bound.data<double>()[i]) << to_string(op) << " of " << x[i];
    }
  }
}

TEST(RoundingBoundsTest, AnOperatorThatNoLayerComputesHasNone) {
  const graph::Graph graph = [] {
    graph::Builder builder("lrn");
    const graph::ValueId x = builder.input("x", {DataType::kFloat32, {1, 2, 3, 3}});
    builder.output(builder.add(Op::kLrn, {x}, {{"size", std::int64_t{3}}}, "norm"), "y");
    return builder.finish();
  }();
  const auto operand = [](std::size_t) { return Tensor(DataType::kFloat64, {1, 2, 3, 3}); };
  const auto is_held = [](graph::ValueId) { return true; };
  try {
    bounded_result({graph, graph.nodes[0], operand, is_held, ElementType::kBf16});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "node 'norm' (LRN): there is no error bound: the host computes it");
  }
}

}  // namespace
}  // namespace weft::runtime
