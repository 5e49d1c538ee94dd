// Tests building graphs: names, constant folding, errors.
#include "compiler/graph/builder/builder.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "compiler/graph/builder/check.h"

namespace weft::graph {
namespace {

ValueType floats(Shape shape) {
  return {DataType::kFloat32, std::move(shape)};
}

// Computes Add of int64 lists, Identity and an all-zero Split. Counts its calls.
struct FakeEvaluator {
  std::shared_ptr<int> calls = std::make_shared<int>(0);

  std::vector<Tensor> operator()(const NodeCall& call) const {
    ++*calls;
    if (call.op == Op::kDiv) throw InputError("a division by zero");
    if (call.op == Op::kIdentity) return {*call.inputs[0]};
    if (call.op == Op::kSplit) return {Tensor(call.outputs[0]), Tensor(call.outputs[1])};
    std::vector<std::int64_t> sum = to_int64(*call.inputs[0]);
    const std::vector<std::int64_t> other = to_int64(*call.inputs[1]);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
    return {Tensor::vector(sum)};
  }
};

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BuilderTest, TypesEveryValueAsItIsAdded) {
  Builder builder("net");
  const ValueId x = builder.input("x", floats({1, 3, 8, 8}));
  const ValueId w = builder.constant(Tensor(floats({4, 3, 3, 3})), "w");
  const ValueId y = builder.add(Op::kConv, {x, w}, {{"pads", Shape{1, 1, 1, 1}}}, "conv1");
  EXPECT_EQ(builder.type(y), floats({1, 4, 8, 8}));
  builder.output(y, "y");
  const Graph graph = builder.finish();
  EXPECT_EQ(graph.values[y].name, "conv1");
  EXPECT_EQ(graph.nodes.front().name, "conv1");
  EXPECT_EQ(graph.outputs.front().value, y);
  EXPECT_NO_THROW(check(graph));
}

TEST(BuilderTest, ErrorsNameTheNode) {
  Builder builder("net");
  const ValueId x = builder.input("x", floats({2, 3}));
  EXPECT_EQ(error_of([&] {
              builder.add(Op::kMatMul, {x, x}, {}, "product");
            }),
            "node 'product' (MatMul): shapes 2x3 and 2x3 cannot be multiplied");
  EXPECT_EQ(error_of([&] {
              builder.add(Op::kRelu, {x}, {{"alpha", 1.0F}});
            }),
            "node 'Relu' (Relu): attribute alpha: the operator has no such attribute");
  EXPECT_EQ(error_of([&] { builder.add(Op::kRelu, {99}, {}, "r"); }),
            "node 'r' (Relu): input 0 is not a value of the graph");
  EXPECT_EQ(error_of([&] {
              builder.add(Op::kAdd, {x, kNoValue}, {}, "a");
            }),
            "node 'a' (Add): input 1 (B) is missing");
  EXPECT_TRUE(builder.graph().nodes.empty());
}

TEST(BuilderTest, MakesNamesUp) {
  Builder builder("net");
  const ValueId x = builder.input("x", floats({2}));
  const ValueId first = builder.add(Op::kRelu, {x});
  const ValueId second = builder.add(Op::kRelu, {x});
  const ValueId third = builder.add(Op::kRelu, {x}, {}, "x");
  const auto name = [&](ValueId id) { return builder.graph().values[id].name; };
  EXPECT_EQ(name(first), "Relu");
  EXPECT_NE(name(second), name(first));
  EXPECT_NE(name(third), "x");
  EXPECT_EQ(name(builder.constant(Tensor())), "constant");
}

TEST(BuilderTest, RefusesNamesThatAreTaken) {
  Builder builder("net");
  const ValueId x = builder.input("x", floats({2}));
  builder.output(x, "y");
  EXPECT_EQ(error_of([&] { builder.input("x", floats({2})); }), "input 'x': the name is taken");
  EXPECT_EQ(error_of([&] { builder.output(x, "y"); }), "output 'y': the name is taken");
  EXPECT_THROW(builder.input("", floats({2})), InputError);
  EXPECT_THROW(builder.input("z", floats({-2})), InputError);
  EXPECT_EQ(error_of([&] { builder.output(7, "z"); }), "output 'z': is not a value of the graph");
  EXPECT_EQ(error_of([&] {
              builder.constant(Constant({DataType::kInt8, {-2}}, [] { return Tensor(); }), "c");
            }),
            "constant 'c': shape -2: an extent is negative");
}

TEST(BuilderTest, LeavesOutOutputsThatNobodyWants) {
  Builder builder("net");
  const ValueId x = builder.input("x", floats({4, 2}));
  const auto parts = builder.add(Op::kSplit, {x}, {}, "split", {"a", ""});
  EXPECT_EQ(builder.type(parts[0]), floats({2, 2}));
  EXPECT_EQ(parts[1], kNoValue);
  EXPECT_EQ(builder.graph().nodes.front().outputs, parts);
  EXPECT_NO_THROW(check(builder.graph()));
}

TEST(BuilderTest, AlwaysComputesShapes) {
  Builder builder("net");
  const ValueId x = builder.input("x", floats({4, 2, 7}));
  const ValueId shape = builder.add(Op::kShape, {x}, {{"start", std::int64_t{1}}});
  ASSERT_TRUE(builder.graph().is_constant(shape));
  EXPECT_EQ(*builder.graph().values[shape].constant->ready(), Tensor::vector<std::int64_t>({2, 7}));
  EXPECT_TRUE(builder.graph().nodes.empty());
}

TEST(BuilderTest, ComputesWhatIsKnown) {
  const FakeEvaluator evaluate;
  Builder builder("net", evaluate);
  const ValueId x = builder.input("x", floats({4, 2}));
  const ValueId shape = builder.add(Op::kShape, {x});
  const ValueId one = builder.constant(Tensor::vector<std::int64_t>({4, -2}));
  const ValueId sum = builder.add(Op::kAdd, {shape, one}, {}, "sum");
  EXPECT_EQ(*builder.graph().values[sum].constant->ready(), Tensor::vector<std::int64_t>({8, 0}));
  EXPECT_EQ(builder.graph().values[sum].name, "sum");
  EXPECT_EQ(*evaluate.calls, 1);
  const auto parts = builder.add(Op::kSplit, {sum}, {}, "", {"", "b"});
  EXPECT_EQ(parts[0], kNoValue);
  EXPECT_TRUE(builder.graph().is_constant(parts[1]));
  EXPECT_NO_THROW(check(builder.graph()));
}

TEST(BuilderTest, AComputedShapeIsAShape) {
  Builder builder("net", FakeEvaluator{});
  const ValueId x = builder.input("x", floats({4, 2}));
  const ValueId shape = builder.add(Op::kShape, {x});
  const ValueId same = builder.add(Op::kIdentity, {shape});
  const ValueId flat = builder.input("flat", floats({8}));
  EXPECT_EQ(builder.type(builder.add(Op::kReshape, {flat, same})), floats({4, 2}));
}

TEST(BuilderTest, LeavesUnknownLazyAndLargeValuesToTheRun) {
  const FakeEvaluator evaluate;
  Builder builder("net", evaluate);
  const ValueId x = builder.input("x", floats({2}));
  const ValueId lazy = builder.constant(Constant(floats({2}), [] { return Tensor(floats({2})); }));
  const ValueId most = builder.constant(Tensor(floats({65'536})));
  const ValueId large = builder.constant(Tensor(floats({65'537})));
  for (const ValueId id : {x, lazy, large}) {
    EXPECT_FALSE(builder.graph().is_constant(builder.add(Op::kIdentity, {id})));
  }
  EXPECT_EQ(*evaluate.calls, 0);
  EXPECT_TRUE(builder.graph().is_constant(builder.add(Op::kIdentity, {most})));
}

TEST(BuilderTest, CountsAllOutputsOfAFoldedNodeTogether) {
  Builder builder("net", FakeEvaluator{});
  const ValueId large = builder.constant(Tensor(floats({65'538})));
  const auto halves = builder.add(Op::kSplit, {large}, {}, "", {"a", "b"});
  EXPECT_FALSE(builder.graph().is_constant(halves[0]));
}

TEST(BuilderTest, WithoutAnEvaluatorNothingElseIsComputed) {
  Builder builder("net");
  const ValueId one = builder.constant(Tensor::vector<std::int64_t>({1}));
  EXPECT_FALSE(builder.graph().is_constant(builder.add(Op::kAdd, {one, one})));
}

TEST(BuilderTest, ErrorsOfTheEvaluatorNameTheNode) {
  Builder builder("net", FakeEvaluator{});
  const ValueId one = builder.constant(Tensor::vector<std::int64_t>({1}));
  EXPECT_EQ(error_of([&] {
              builder.add(Op::kDiv, {one, one}, {}, "quotient");
            }),
            "node 'quotient' (Div): a division by zero");
}

TEST(BuilderTest, RefusesWhatAnEvaluatorShouldNotGive) {
  const Evaluator wrong = [](const NodeCall&) { return std::vector<Tensor>{Tensor()}; };
  Builder builder("net", wrong);
  const ValueId one = builder.constant(Tensor::vector<std::int64_t>({1}));
  EXPECT_EQ(error_of([&] {
              builder.add(Op::kAdd, {one, one}, {}, "sum");
            }),
            "node 'sum' (Add): computed output 0 as float32 scalar where int64 1 is expected");
}

}  // namespace
}  // namespace weft::graph
