// remove_dead_code, remove_identities, use_reciprocals and fold_constants.
#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/passes/rewrite/remove_dead_code.h"
#include "compiler/passes/simplify/fold_constants.h"
#include "compiler/passes/simplify/remove_identities.h"
#include "compiler/passes/simplify/use_reciprocals.h"
#include "tests/passes/networks.h"

namespace weft::passes::testing {
namespace {

using Integers = std::vector<std::int64_t>;

ValueId integers(Builder& builder, const Integers& values) {
  return builder.constant(Tensor::vector(values));
}

/// An evaluator that doubles its input, which shows that it was called.
std::vector<Tensor> doubled(const graph::NodeCall& call) {
  Tensor result(call.outputs[0]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.size()); ++i) {
    result.mutable_data<float>()[i] = 2 * call.inputs[0]->data<float>()[i];
  }
  return {result};
}

TEST(RemoveDeadCodeTest, KeepsWhatTheOutputsNeedAndTheInputs) {
  Builder builder("net");
  const ValueId x = input(builder, {4});
  input(builder, {2}, "unused");
  const ValueId y = builder.add(Op::kRelu, {x});
  builder.add(Op::kExp, {builder.add(Op::kTanh, {y})});
  builder.constant(Tensor::scalar(1.0F));
  const Graph g = remove_dead_code(finish(builder, y));
  EXPECT_EQ(ops(g), "Relu");
  EXPECT_EQ(g.inputs.size(), 2U);
  EXPECT_EQ(g.values.size(), 3U);
}

TEST(RemoveDeadCodeTest, ForgetsOutputsThatNobodyUses) {
  Builder builder("net");
  const ValueId x = input(builder, {1, 1, 4, 4});
  const auto pooled = builder.add(Op::kMaxPool, {x}, {{"kernel_shape", Integers{2, 2}}}, "pool",
                                  {"values", "indices"});
  const Graph g = remove_dead_code(finish(builder, pooled[0]));
  EXPECT_EQ(g.nodes[0].outputs.size(), 1U);
}

TEST(RemoveDeadCodeTest, KeepsTheNumberOfPartsOfASplit) {
  Builder builder("net");
  const ValueId x = input(builder, {6});
  const auto parts = builder.add(Op::kSplit, {x}, {}, "split", {"a", "b", "c"});
  const Graph g = remove_dead_code(finish(builder, parts[0]));
  EXPECT_EQ(g.nodes[0].outputs.size(), 3U);
  EXPECT_EQ(g.values.size(), 2U);
}

struct IdentityCase {
  std::string name;
  std::function<ValueId(Builder&, ValueId)> add;  // appends nodes to an input [2, 1, 3]
  bool removed;
};

class RemoveIdentitiesTest : public ::testing::TestWithParam<IdentityCase> {};

TEST_P(RemoveIdentitiesTest, RemovesWhatChangesNothing) {
  Builder builder("net");
  const ValueId x = builder.add(Op::kRelu, {input(builder, {2, 1, 3})});
  const ValueId y = GetParam().add(builder, x);
  const Graph g = remove_identities(finish(builder, builder.add(Op::kTanh, {y})));
  EXPECT_EQ(g.nodes.size(), GetParam().removed ? 2U : 3U) << ops(g);
}

std::vector<IdentityCase> identity_cases() {
  const auto slice = [](const Integers& start, const Integers& end, const Integers& step) {
    return [=](Builder& b, ValueId x) {
      return b.add(Op::kSlice, {x, integers(b, start), integers(b, end), integers(b, Integers{2}),
                                integers(b, step)});
    };
  };
  const auto shaped = [](Op op, const Integers& shape) {
    return [=](Builder& b, ValueId x) { return b.add(op, {x, integers(b, shape)}); };
  };
  const auto transpose = [](Integers perm) {
    return [=](Builder& b, ValueId x) { return b.add(Op::kTranspose, {x}, {{"perm", perm}}); };
  };
  return {
      {"Identity", [](Builder& b, ValueId x) { return b.add(Op::kIdentity, {x}); }, true},
      {"Dropout", [](Builder& b, ValueId x) { return b.add(Op::kDropout, {x}); }, true},
      {"ReshapeToTheSame", shaped(Op::kReshape, {2, 1, -1}), true},
      {"ReshapeToAnother", shaped(Op::kReshape, {2, 3}), false},
      {"ExpandToTheSame", shaped(Op::kExpand, {1, 1, 1}), true},
      {"ExpandToAnother", shaped(Op::kExpand, {2, 4, 3}), false},
      {"TileOnce", shaped(Op::kTile, {1, 1, 1}), true},
      {"TransposeOfNothing", transpose({0, 1, 2}), true},
      {"TransposeOfTwo", transpose({2, 1, 0}), false},
      {"CastToTheSame",
       [](Builder& b, ValueId x) {
         return b.add(Op::kCast, {x}, {{"to", std::int64_t{1}}});
       },
       true},
      {"SliceOfEverything", slice({0}, {100}, {1}), true},
      {"SliceBackwards", slice({-1}, {-100}, {-1}), false},
      {"SliceOfAPart", slice({1}, {100}, {1}), false},
      {"ConcatOfOne",
       [](Builder& b, ValueId x) {
         return b.add(Op::kConcat, {x}, {{"axis", std::int64_t{0}}});
       },
       true},
      {"ConcatOfTwo",
       [](Builder& b, ValueId x) {
         return b.add(Op::kConcat, {x, x}, {{"axis", std::int64_t{0}}});
       },
       false},
  };
}

INSTANTIATE_TEST_SUITE_P(All, RemoveIdentitiesTest, ::testing::ValuesIn(identity_cases()),
                         [](const auto& each) { return each.param.name; });

TEST(RemoveIdentitiesTest, RemovesATransposeOfUnitDimensionsOnly) {
  Builder builder("net");
  const ValueId x = builder.add(Op::kRelu, {input(builder, {1, 1, 3})});
  const ValueId y = builder.add(Op::kTranspose, {x}, {{"perm", Integers{1, 0, 2}}});
  EXPECT_EQ(ops(remove_identities(finish(builder, y))), "Relu");
}

TEST(RemoveIdentitiesTest, KeepsATransposeOfASquare) {
  Builder builder("net");
  const ValueId y = builder.add(Op::kTranspose, {input(builder, {3, 3})});
  EXPECT_EQ(ops(remove_identities(finish(builder, y))), "Transpose");
}

TEST(RemoveIdentitiesTest, RemovesATranspositionAndTheOneThatUndoesIt) {
  Builder builder("net");
  const ValueId x = builder.add(Op::kRelu, {input(builder, {2, 3, 4})});
  const ValueId turned = builder.add(Op::kTranspose, {x}, {{"perm", Integers{2, 0, 1}}});
  const ValueId back = builder.add(Op::kTranspose, {turned}, {{"perm", Integers{1, 2, 0}}});
  EXPECT_EQ(ops(remove_identities(finish(builder, builder.add(Op::kTanh, {back})))), "Relu Tanh");
}

TEST(RemoveIdentitiesTest, JoinsTwoTranspositionsToOne) {
  Builder builder("net");
  const ValueId x = input(builder, {2, 3, 4});
  const ValueId first = builder.add(Op::kTranspose, {x}, {{"perm", Integers{1, 2, 0}}});
  const ValueId second = builder.add(Op::kTranspose, {first});  // reversed
  const Graph g = remove_identities(finish(builder, second));
  ASSERT_EQ(ops(g), "Transpose");
  // The axes of [3, 4, 2] are x's axes 1, 2, 0; reversed they are 0, 2, 1.
  EXPECT_EQ(g.nodes[0].attributes.integers("perm"), (Integers{0, 2, 1}));
  EXPECT_EQ(g.type(g.outputs[0].value).shape, (graph::Shape{2, 4, 3}));
}

TEST(RemoveIdentitiesTest, KeepsADropoutOfWhichTheMaskIsUsed) {
  Builder builder("net");
  const auto dropped =
      builder.add(Op::kDropout, {input(builder, {3})}, {}, "drop", {"data", "mask"});
  builder.output(dropped[1], "mask");
  EXPECT_EQ(ops(remove_identities(finish(builder, dropped[0]))), "Dropout");
}

TEST(RemoveIdentitiesTest, KeepsNamesOfOutputs) {
  Builder builder("net");
  const ValueId x = input(builder, {3});
  const Graph g = remove_identities(finish(builder, builder.add(Op::kIdentity, {x})));
  ASSERT_EQ(g.outputs.size(), 1U);
  EXPECT_EQ(g.outputs[0].name, "y");
  EXPECT_EQ(g.outputs[0].value, g.inputs[0]);
}

TEST(UseReciprocalsTest, ReplacesOnlyQuotientsOfOne) {
  const auto operators = [](const Tensor& dividend, const graph::Shape& shape) {
    Builder builder("net");
    const ValueId x = input(builder, shape);
    return ops(
        use_reciprocals(finish(builder, builder.add(Op::kDiv, {builder.constant(dividend), x}))));
  };
  EXPECT_EQ(operators(Tensor::scalar(1.0F), {2, 3}), "Reciprocal");
  EXPECT_EQ(operators(Tensor::vector<float>({1}), {2, 3}), "Reciprocal");
  EXPECT_EQ(operators(Tensor::scalar(2.0F), {2, 3}), "Div");
  EXPECT_EQ(operators(Tensor::vector<float>({1, 1, 1}), {1}), "Div");
  EXPECT_EQ(operators(Tensor::of<float>({1, 1}, {1}), {3}), "Div");  // the result has rank 2
}

TEST(UseReciprocalsTest, KeepsAQuotientOfTwoComputedValues) {
  Builder builder("net");
  const ValueId x = input(builder, {2});
  EXPECT_EQ(ops(use_reciprocals(finish(builder, builder.add(Op::kDiv, {x, x})))), "Div");
}

TEST(FoldConstantsTest, ComputesAChainOfConstants) {
  Builder builder("net");
  const ValueId c = builder.constant(Tensor::vector<float>({1, 2, 3}));
  const ValueId d = builder.add(Op::kExp, {builder.add(Op::kExp, {c})});
  const ValueId y = builder.add(Op::kMul, {input(builder, {3}), d});
  const Graph g = fold_constants(finish(builder, y), doubled);
  ASSERT_EQ(ops(g), "Mul");
  EXPECT_EQ(*g.values[g.nodes[0].inputs[1]].constant->ready(), Tensor::vector<float>({4, 8, 12}));
}

TEST(FoldConstantsTest, LeavesConstantsThatAreMadeOnDemand) {
  int made = 0;
  Builder builder("net");
  const ValueId c = builder.constant(lazy(Tensor::vector<float>({1, 2, 3}), &made));
  const Graph g = fold_constants(finish(builder, builder.add(Op::kExp, {c})), doubled);
  EXPECT_EQ(ops(g), "Exp");
  EXPECT_EQ(made, 0);
}

TEST(FoldConstantsTest, GivesConstantsThatAreMadeOnDemandAnotherShapeOnDemand) {
  const auto source = std::make_shared<Tensor>(Tensor::of<float>({1, 2}, {3, 4}));
  Builder builder("net");
  const ValueId made =
      builder.constant({source->value_type(), [source] { return *source; }}, "made");
  const ValueId column = builder.add(Op::kTranspose, {made});
  const ValueId y = builder.add(Op::kAdd, {input(builder, {2, 1}), column});
  int asked = 0;
  const auto turn = [&asked](const graph::NodeCall& call) {
    ++asked;
    const auto from = call.inputs[0]->data<float>();
    return std::vector{Tensor::of<float>({2, 1}, {from.begin(), from.end()})};
  };
  const Graph g = fold_constants(finish(builder, y), turn);
  EXPECT_EQ(ops(g), "Add");
  EXPECT_EQ(asked, 0) << "computed before any run needs it";
  const graph::Constant& folded = *g.values[g.nodes[0].inputs[1]].constant;
  EXPECT_EQ(folded.tensor(), Tensor::of<float>({2, 1}, {3, 4}));
  *source = Tensor::of<float>({1, 2}, {5, 6});
  EXPECT_EQ(folded.tensor(), Tensor::of<float>({2, 1}, {5, 6}));
}

TEST(FoldConstantsTest, LeavesLargeOutputs) {
  Builder builder("net");
  const ValueId one = builder.constant(Tensor::scalar(1.0F));
  const ValueId y = builder.add(Op::kExpand, {one, integers(builder, {kLargestFolded + 1})});
  EXPECT_EQ(ops(fold_constants(finish(builder, y), doubled)), "Expand");
}

TEST(FoldConstantsTest, LeavesDequantizeLinearUnlessAsked) {
  Builder builder("net");
  const ValueId q = builder.constant(Tensor::vector<std::int8_t>({1, 2}));
  const ValueId scale = builder.constant(Tensor::scalar(0.5F));
  const Graph g = finish(builder, builder.add(Op::kDequantizeLinear, {q, scale}));
  const auto half = [](const graph::NodeCall&) -> std::vector<Tensor> {
    return {Tensor::vector<float>({0.5F, 1})};
  };
  EXPECT_EQ(ops(fold_constants(g, half)), "DequantizeLinear");
  const Graph folded = fold_constants(g, half, FoldDequantize::kYes);
  EXPECT_EQ(ops(folded), "");
  EXPECT_TRUE(folded.is_constant(folded.outputs[0].value));
}

TEST(FoldConstantsTest, NamesTheNodeThatCannotBeComputed) {
  Builder builder("net");
  const ValueId c = builder.constant(Tensor::scalar(1.0F));
  const Graph g = finish(builder, builder.add(Op::kExp, {c}, {}, "bad"));
  const auto refuse = [](const graph::NodeCall&) -> std::vector<Tensor> {
    throw InputError("no such index");
  };
  try {
    fold_constants(g, refuse);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "node 'bad' (Exp): no such index");
  }
}

}  // namespace
}  // namespace weft::passes::testing
