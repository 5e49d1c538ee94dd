// move_powers: multiplications by powers of two that constant weights take over. The CPU reference
// computes binary32, in which all factors here are exact, so the results keep their bits.
#include "compiler/passes/simplify/move_powers.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

using Integers = std::vector<std::int64_t>;

ValueId number(Builder& builder, float value) {
  return builder.constant(Tensor::scalar(value));
}

ValueId times(Builder& builder, ValueId x, float factor) {
  return builder.add(Op::kMul, {x, number(builder, factor)});
}

ValueId weights(Builder& builder, Shape shape) {
  Random random(7);
  return builder.constant(random_floats(random, std::move(shape)));
}

ValueId dense(Builder& builder, ValueId x, std::int64_t inputs, std::int64_t outputs) {
  const ValueId product = builder.add(Op::kMatMul, {x, weights(builder, {inputs, outputs})});
  return builder.add(Op::kAdd, {weights(builder, {outputs}), product});
}

ValueId reshaped(Builder& builder, ValueId x, const Integers& shape) {
  return builder.add(Op::kReshape, {x, builder.constant(Tensor::vector(shape))});
}

/// Appends nodes to an input [2, 3, 8] and returns the result.
using Add = std::function<ValueId(Builder&, ValueId)>;

Graph graph_of(const Add& add) {
  Builder builder("net");
  const ValueId x = input(builder, {2, 3, 8});
  return finish(builder, add(builder, x));
}

struct Case {
  std::string name;
  Add add;
};

/// Attention with a scale: queries, keys and the factor's place vary.
ValueId scores(Builder& builder, ValueId query, ValueId key) {
  const auto heads = [&](ValueId value, const Integers& order) {
    return builder.add(Op::kTranspose, {reshaped(builder, value, {2, 3, 2, -1})},
                       {{"perm", order}});
  };
  const ValueId product =
      builder.add(Op::kMatMul, {heads(query, {0, 2, 1, 3}), heads(key, {0, 2, 3, 1})});
  const ValueId scaled = builder.add(Op::kDiv, {product, number(builder, 8)});
  return builder.add(Op::kSoftmax, {scaled});
}

ValueId split_scores(Builder& builder, ValueId x, std::size_t part) {
  const ValueId rows = reshaped(builder, x, {6, 8});
  const ValueId all =
      builder.add(Op::kGemm, {rows, weights(builder, {12, 8}), weights(builder, {12})},
                  {{"transB", std::int64_t{1}}});
  const auto parts = builder.add(
      Op::kSplit,
      {reshaped(builder, all, {2, 3, 12}), builder.constant(Tensor::vector(Integers{4, 4, 4}))},
      {{"axis", std::int64_t{-1}}}, "split", {"a", "b", "c"});
  const std::size_t other = part == 2 ? 0 : part + 1;
  const ValueId shares = scores(builder, parts[part], parts[other]);
  return builder.add(
      Op::kMatMul, {shares, builder.add(Op::kTranspose,
                                        {reshaped(builder, parts[3 - part - other], {2, 3, 2, 2})},
                                        {{"perm", Integers{0, 2, 1, 3}}})});
}

std::vector<Case> moved_cases() {
  return {
      {"UpIntoADenseLayer",
       [](Builder& b, ValueId x) { return b.add(Op::kTanh, {times(b, dense(b, x, 8, 5), 0.5F)}); }},
      {"UpIntoAGemm",
       [](Builder& b, ValueId x) {
         const ValueId y = b.add(Op::kGemm, {reshaped(b, x, {6, 8}), weights(b, {8, 5})});
         return b.add(Op::kTanh, {b.add(Op::kMul, {number(b, 4), y})});
       }},
      {"UpThroughScores",
       [](Builder& b, ValueId x) { return scores(b, dense(b, x, 8, 4), dense(b, x, 8, 4)); }},
      // The query is used twice, so the key takes the factor.
      {"UpIntoTheKeys",
       [](Builder& b, ValueId x) {
         const ValueId query = dense(b, x, 8, 4);
         const ValueId shares = scores(b, query, dense(b, x, 8, 4));
         return b.add(Op::kMul, {b.add(Op::kReduceMax, {shares}), b.add(Op::kReduceMax, {query})});
       }},
      {"UpIntoTheFirstPart", [](Builder& b, ValueId x) { return split_scores(b, x, 0); }},
      {"UpIntoTheLastPart", [](Builder& b, ValueId x) { return split_scores(b, x, 2); }},
      {"DownIntoADenseLayer",
       [](Builder& b, ValueId x) { return dense(b, times(b, b.add(Op::kTanh, {x}), 0.5F), 8, 5); }},
      {"DownThroughAProductAndAView",
       [](Builder& b, ValueId x) {
         const ValueId y = b.add(Op::kMul, {b.add(Op::kTanh, {x}), times(b, x, 0.5F)});
         return b.add(Op::kGemm, {reshaped(b, y, {6, 8}), weights(b, {8, 5})});
       }},
      {"DownThroughAQuotient",
       [](Builder& b, ValueId x) {
         const ValueId y = b.add(Op::kDiv, {times(b, x, 2), b.add(Op::kExp, {x})});
         return dense(b, y, 8, 5);
       }},
  };
}

class MovedPowerTest : public ::testing::TestWithParam<Case> {};

TEST_P(MovedPowerTest, GivesTheSameBitsWithOneNodeLess) {
  const Graph before = graph_of(GetParam().add);
  const Graph after = move_powers(before);
  EXPECT_EQ(after.nodes.size() + 1, before.nodes.size()) << ops(after);
  Random random(3);
  expect_same_bits(before, after, random);
}

INSTANTIATE_TEST_SUITE_P(All, MovedPowerTest, ::testing::ValuesIn(moved_cases()),
                         [](const auto& each) { return each.param.name; });

std::vector<Case> kept_cases() {
  return {
      {"NoPowerOfTwo",
       [](Builder& b, ValueId x) { return dense(b, times(b, b.add(Op::kTanh, {x}), 3), 8, 5); }},
      {"Negative",
       [](Builder& b, ValueId x) { return dense(b, times(b, b.add(Op::kTanh, {x}), -2), 8, 5); }},
      {"TooLarge",
       [](Builder& b, ValueId x) { return dense(b, times(b, b.add(Op::kTanh, {x}), 512), 8, 5); }},
      {"Zero",
       [](Builder& b, ValueId x) { return dense(b, times(b, b.add(Op::kTanh, {x}), 0), 8, 5); }},
      {"ADivisor",
       [](Builder& b, ValueId x) {
         const ValueId y = b.add(Op::kDiv, {x, times(b, b.add(Op::kExp, {x}), 2)});
         return dense(b, y, 8, 5);
       }},
      {"OneOfSeveralFactors",
       [](Builder& b, ValueId x) {
         const ValueId factors = b.constant(Tensor::vector(std::vector<float>(8, 0.5F)));
         return dense(b, b.add(Op::kMul, {b.add(Op::kTanh, {x}), factors}), 8, 5);
       }},
      // A training graph reads these values again in its backward part.
      {"ValueUsedTwice",
       [](Builder& b, ValueId x) {
         const ValueId half = times(b, x, 0.5F);
         return b.add(Op::kMul, {b.add(Op::kReduceMax, {half}),
                                 b.add(Op::kReduceMax, {dense(b, half, 8, 5)})});
       }},
      {"SumUsedTwice",
       [](Builder& b, ValueId x) {
         const ValueId y = dense(b, x, 8, 5);
         return b.add(Op::kDiv, {times(b, y, 0.5F), b.add(Op::kExp, {y})});
       }},
      {"ComputedAddend",
       [](Builder& b, ValueId x) {
         const ValueId y = b.add(Op::kMatMul, {x, weights(b, {8, 8})});
         return b.add(Op::kTanh, {times(b, b.add(Op::kAdd, {y, x}), 0.5F)});
       }},
      {"ConstantFirstOperand",
       [](Builder& b, ValueId x) {
         return b.add(Op::kMatMul, {weights(b, {5, 3}), times(b, x, 0.5F)});
       }},
  };
}

class KeptPowerTest : public ::testing::TestWithParam<Case> {};

TEST_P(KeptPowerTest, StaysWhereItIs) {
  const Graph before = graph_of(GetParam().add);
  EXPECT_EQ(ops(move_powers(before)), ops(before));
}

INSTANTIATE_TEST_SUITE_P(All, KeptPowerTest, ::testing::ValuesIn(kept_cases()),
                         [](const auto& each) { return each.param.name; });

TEST(MovePowersTest, SharedWeightsStayForOtherNodes) {
  const Graph before = graph_of([](Builder& b, ValueId x) {
    const ValueId shared = weights(b, {8, 8});
    const ValueId y = times(b, b.add(Op::kMatMul, {x, shared}), 0.25F);
    return b.add(Op::kMatMul, {b.add(Op::kTanh, {y}), shared});
  });
  const Graph after = move_powers(before);
  EXPECT_EQ(ops(after), "MatMul Tanh MatMul");
  Random random(3);
  expect_same_bits(before, after, random);
}

TEST(MovePowersTest, ConstantsMadeOnDemandAreNotMade) {
  Random random(5);
  int made = 0;
  Builder builder("net");
  const ValueId x = input(builder, {3, 8});
  const ValueId w = builder.constant(lazy(random_floats(random, {8, 5}), &made));
  const ValueId bias = builder.constant(lazy(random_floats(random, {5}), &made));
  const ValueId y = builder.add(Op::kAdd, {builder.add(Op::kMatMul, {x, w}), bias});
  const Graph before = finish(builder, builder.add(Op::kTanh, {times(builder, y, 0.5F)}));
  const Graph after = move_powers(before);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(ops(after), "MatMul Add Tanh");
  expect_same_bits(before, after, random);
}

}  // namespace
}  // namespace weft::passes::testing
