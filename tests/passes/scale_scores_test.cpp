// scale_scores: factors of attention's operands that move behind their product.
#include "compiler/passes/simplify/scale_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

constexpr std::int64_t kDepth = 8;

struct Attention {
  Op query_op = Op::kMul;
  float query_factor = 1;
  Op key_op = Op::kMul;
  float key_factor = 1;
  bool is_masked = false;
  bool is_normalized = true;  // by a softmax
  bool is_query_used_twice = false;
};

/// Queries [2, 5, 8] and keys [2, 8, 6], both computed.
Graph graph_of(const Attention& attention) {
  Builder builder("attention");
  const auto scaled = [&](const char* name, const Shape& shape, Op op, float factor) {
    const ValueId x = builder.add(Op::kTanh, {input(builder, shape, name)});
    return builder.add(op, {x, builder.constant(Tensor::scalar(factor))});
  };
  const ValueId query = scaled("q", {2, 5, kDepth}, attention.query_op, attention.query_factor);
  const ValueId key = scaled("k", {2, kDepth, 6}, attention.key_op, attention.key_factor);
  ValueId result = builder.add(Op::kMatMul, {query, key});
  if (attention.is_masked)
    result = builder.add(Op::kAdd, {result, input(builder, {2, 5, 6}, "mask")});
  if (attention.is_normalized) result = builder.add(Op::kSoftmax, {result});
  if (attention.is_query_used_twice) {
    const ValueId again = builder.add(Op::kReduceMax, {query});
    result = builder.add(Op::kMul, {result, again});
  }
  return finish(builder, result);
}

std::vector<Op> ops_of(const Graph& graph) {
  std::vector<Op> ops;
  for (const graph::Node& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

/// The number by which the graph multiplies its only matrix product.
float factor_of(const Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    if (node.op != Op::kMul) continue;
    return graph.values[node.inputs[1]].constant->tensor().data<float>()[0];
  }
  return 0;
}

// u = 2^-24. Inputs lie in [-1, 1], so the terms of a score have magnitudes that sum to at most
// kDepth * 1/8 = 1, and each graph's score is off by at most (kDepth + 4) u. Two scores then differ
// by at most 24 u, and elements of a softmax by a factor of at most exp(48 u) and their own
// roundings (at most 8 u each).
constexpr double kBound = 64.0 / (1 << 24);

TEST(ScaleScoresTest, TwoRootsBecomeTheirPowerOfTwo) {
  const float root = std::sqrt(0.125F);
  ASSERT_NE(root * root, 0.125F);
  for (const bool is_masked : {false, true}) {
    const Graph before =
        graph_of({.query_factor = root, .key_factor = root, .is_masked = is_masked});
    const Graph after = scale_scores(before);
    std::vector<Op> ops = {Op::kTanh, Op::kTanh, Op::kMatMul, Op::kMul};
    if (is_masked) ops.push_back(Op::kAdd);
    ops.push_back(Op::kSoftmax);
    EXPECT_EQ(ops_of(after), ops);
    EXPECT_EQ(factor_of(after), 0.125F);
    Random random(1);
    expect_close(before, after, random, kBound);
  }
}

TEST(ScaleScoresTest, OtherFactorsAreMultiplied) {
  const Graph one = graph_of({.query_factor = -0.1F});
  EXPECT_EQ(factor_of(scale_scores(one)), -0.1F);
  const Graph quotient =
      graph_of({.query_op = Op::kDiv, .query_factor = 3, .key_op = Op::kDiv, .key_factor = 4});
  const Graph after = scale_scores(quotient);
  EXPECT_EQ(factor_of(after), static_cast<float>(1.0 / 12));
  Random random(2);
  expect_close(quotient, after, random, kBound);
  // Two units of the last place away from 1/4, which no rounding of the factors explains.
  const float near = std::nextafter(std::nextafter(0.25F, 1.0F), 1.0F);
  EXPECT_EQ(factor_of(scale_scores(graph_of({.query_factor = near}))), near);
}

TEST(ScaleScoresTest, FactorsStayWhereTheyAre) {
  for (const Attention& attention : {
           Attention{.query_factor = 0.5F, .key_factor = 0.5F, .is_normalized = false},
           Attention{.query_factor = 0, .key_factor = 0},
           Attention{.query_factor = INFINITY, .key_factor = 0},
           Attention{.query_factor = 1e-30F, .key_factor = 1e-30F},
       }) {
    const Graph before = graph_of(attention);
    EXPECT_EQ(ops_of(scale_scores(before)), ops_of(before));
  }
}

TEST(ScaleScoresTest, AnOperandWithAnotherUseKeepsItsFactor) {
  const Graph after = scale_scores(
      graph_of({.query_factor = 0.5F, .key_factor = 0.25F, .is_query_used_twice = true}));
  Random random(3);
  std::size_t products = 0;
  for (const Op op : ops_of(after)) products += op == Op::kMul ? 1U : 0U;
  EXPECT_EQ(products, 3U);  // the query's, the score's and the last one
}

}  // namespace
}  // namespace weft::passes::testing
