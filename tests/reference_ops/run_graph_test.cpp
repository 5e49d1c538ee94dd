// The executor: values must flow from node to node as in the graph, and live no longer than needed.
#include "models/reference/cpu/run_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

using graph::Builder;
using graph::Constant;
using graph::Graph;
using graph::Node;
using graph::ValueId;

const ValueType kFour{DataType::kFloat32, {4}};

// y = relu(x * 3) + 1; the product is the second output "p".
Graph small_graph() {
  Builder builder("small");
  const ValueId x = builder.input("x", kFour);
  const ValueId product =
      builder.add(Op::kMul, {x, builder.constant(Tensor::scalar(3.0F))}, {}, "product");
  const ValueId rectified = builder.add(Op::kRelu, {product});
  const ValueId sum = builder.add(Op::kAdd, {rectified, builder.constant(Tensor::scalar(1.0F))});
  builder.output(sum, "y");
  builder.output(product, "p");
  return builder.finish();
}

Tensor four(const std::vector<float>& values) {
  return Tensor::of<float>({4}, values);
}

template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(RunGraphTest, GivesEveryOutputByName) {
  const Graph graph = small_graph();
  const NamedTensors outputs = run_graph(graph, {{"x", four({-1, 0, 1, 2})}});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs.at("y"), four({1, 1, 4, 7}));
  EXPECT_EQ(outputs.at("p"), four({-3, 0, 3, 6}));
}

TEST(RunGraphTest, InputsAndConstantsMayBeOutputs) {
  Builder builder("wires");
  builder.output(builder.input("x", kFour), "same");
  builder.output(builder.constant(Tensor::scalar(5.0F)), "five");
  const Graph graph = builder.finish();
  const NamedTensors outputs = run_graph(graph, {{"x", four({1, 2, 3, 4})}});
  EXPECT_EQ(outputs.at("same"), four({1, 2, 3, 4}));
  EXPECT_EQ(outputs.at("five"), Tensor::scalar(5.0F));
}

TEST(RunGraphTest, RunsOperatorsOfBothHalvesAndPassesOverOptionalInputs) {
  Builder builder("mixed");
  const ValueId x = builder.input("x", {DataType::kFloat32, {1, 2}});
  const ValueId weights = builder.constant(Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  const ValueId product = builder.add(Op::kMatMul, {x, weights});
  const ValueId high = builder.constant(Tensor::scalar(10.0F));
  builder.output(builder.add(Op::kClip, {product, graph::kNoValue, high}), "y");
  const Graph graph = builder.finish();
  const NamedTensors outputs = run_graph(graph, {{"x", Tensor::of<float>({1, 2}, {1, 3})}});
  EXPECT_EQ(outputs.at("y"), Tensor::of<float>({1, 2}, {10, 10}));
}

TEST(RunGraphTest, OutputsThatNobodyWantsAreComputedAndDropped) {
  Builder builder("split");
  const ValueId x = builder.input("x", kFour);
  const ValueId parts = builder.constant(Tensor::vector<std::int64_t>({1, 2, 1}));
  const std::vector<ValueId> pieces =
      builder.add(Op::kSplit, {x, parts}, {}, "cut", {"", "middle", ""});
  builder.output(pieces[1], "y");
  const Graph graph = builder.finish();
  std::vector<ValueType> seen;
  RunGraphOptions options;
  options.observer = [&](const Node& node, std::span<const Tensor> outputs) {
    EXPECT_EQ(node.name, "cut");
    for (const Tensor& output : outputs) seen.push_back(output.value_type());
  };
  const NamedTensors outputs = run_graph(graph, {{"x", four({1, 2, 3, 4})}}, options);
  EXPECT_EQ(outputs.at("y"), Tensor::vector<float>({2, 3}));
  EXPECT_EQ(seen,
            (std::vector<ValueType>{
                {DataType::kFloat32, {1}}, {DataType::kFloat32, {2}}, {DataType::kFloat32, {1}}}));
}

TEST(RunGraphTest, TheObserverSeesEveryNodeInOrder) {
  const Graph graph = small_graph();
  std::vector<std::pair<Op, Tensor>> seen;
  RunGraphOptions options;
  options.observer = [&](const Node& node, std::span<const Tensor> outputs) {
    seen.emplace_back(node.op, outputs[0]);
  };
  run_graph(graph, {{"x", four({-1, 0, 1, 2})}}, options);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0], std::pair(Op::kMul, four({-3, 0, 3, 6})));
  EXPECT_EQ(seen[1], std::pair(Op::kRelu, four({0, 0, 3, 6})));
  EXPECT_EQ(seen[2], std::pair(Op::kAdd, four({1, 1, 4, 7})));
}

TEST(RunGraphTest, WrongInputsAreNamedWithWhatIsExpected) {
  const Graph graph = small_graph();
  EXPECT_EQ(message_of([&] { run_graph(graph, {}); }),
            "graph 'small': input 'x' (float32 4) is missing");
  EXPECT_EQ(message_of([&] {
              run_graph(graph, {{"x", four({1, 2, 3, 4})}, {"z", Tensor()}});
            }),
            "graph 'small': there is no input 'z'; its inputs are 'x'");
  EXPECT_EQ(message_of([&] {
              run_graph(graph, {{"x", Tensor(DataType::kFloat32, {2, 2})}});
            }),
            "graph 'small': input 'x' must be float32 4, not float32 2x2");
  EXPECT_EQ(message_of([&] {
              run_graph(graph, {{"x", Tensor(DataType::kFloat64, {4})}});
            }),
            "graph 'small': input 'x' must be float32 4, not float64 4");
}

TEST(RunGraphTest, ErrorsNameTheNode) {
  Builder builder("gathering");
  const ValueId x = builder.input("x", kFour);
  const ValueId index = builder.input("index", {DataType::kInt64, {}});
  builder.output(builder.add(Op::kGather, {x, index}, {}, "pick"), "y");
  const Graph graph = builder.finish();
  const NamedTensors inputs = {{"x", four({1, 2, 3, 4})},
                               {"index", Tensor::scalar<std::int64_t>(4)}};
  const std::string message = message_of([&] { run_graph(graph, inputs); });
  EXPECT_TRUE(message.starts_with("node 'pick' (Gather): ")) << message;
}

// (x + c) * c, where c is made on demand; `made` counts how often.
struct CountedConstant {
  int made = 0;
  Graph graph;

  CountedConstant() {
    Builder builder("lazy");
    const auto make = [this] {
      ++made;
      return four({1, 1, 1, 1});
    };
    const ValueId constant = builder.constant(Constant(kFour, make));
    const ValueId sum = builder.add(Op::kAdd, {builder.input("x", kFour), constant});
    builder.output(builder.add(Op::kMul, {sum, constant}), "y");
    graph = builder.finish();
  }
};

TEST(RunGraphTest, AConstantIsMadeOnceARun) {
  CountedConstant lazy;
  GraphRunner runner(lazy.graph);
  EXPECT_EQ(lazy.made, 0);
  runner.run({{"x", four({1, 2, 3, 4})}});
  EXPECT_EQ(lazy.made, 1);
  runner.run({{"x", four({1, 2, 3, 4})}});
  EXPECT_EQ(lazy.made, 2);
}

TEST(RunGraphTest, KeptConstantsAreMadeOnceForAllRuns) {
  CountedConstant lazy;
  RunGraphOptions options;
  options.keep_constants = true;
  GraphRunner runner(lazy.graph, options);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(runner.run({{"x", four({1, 2, 3, 4})}}).at("y"), four({2, 3, 4, 5}));
  }
  EXPECT_EQ(lazy.made, 1);
}

// A tensor with a second owner copies its elements before it is written, so its address changes.
// This shows the observer whether the executor still holds an earlier value.
TEST(RunGraphTest, ValuesAreDroppedAfterTheirLastUse) {
  Builder builder("chain");
  ValueId value = builder.input("x", kFour);
  for (int i = 0; i < 3; ++i) value = builder.add(Op::kNeg, {value});
  builder.output(value, "y");
  const Graph graph = builder.finish();
  std::vector<Tensor> seen;
  std::vector<bool> alone;
  RunGraphOptions options;
  options.observer = [&](const Node&, std::span<const Tensor> outputs) {
    if (seen.size() >= 2) {
      Tensor& old = seen[seen.size() - 2];
      const std::byte* before = old.bytes().data();
      alone.push_back(old.mutable_bytes().data() == before);
    }
    seen.push_back(outputs[0]);
  };
  run_graph(graph, {{"x", four({1, 2, 3, 4})}}, options);
  EXPECT_EQ(alone, std::vector<bool>{true});
}

// Random networks of sums, compared with sums that keep all values. Uses are one, many or none.
TEST(RunGraphTest, ValuesLiveAsLongAsAnyNodeOrOutputNeedsThem) {
  Random random(1);
  std::map<std::size_t, int> use_hits;
  for (int round = 0; round < 50; ++round) {
    Builder builder("random");
    std::vector<ValueId> ids = {builder.input("x", {DataType::kInt64, {}}),
                                builder.constant(Tensor::scalar<std::int64_t>(7))};
    std::vector<std::int64_t> expected = {5, 7};
    for (int i = 0; i < 20; ++i) {
      const auto a = static_cast<std::size_t>(random.integer(0, std::ssize(ids) - 1));
      const auto b = static_cast<std::size_t>(random.integer(0, std::ssize(ids) - 1));
      ids.push_back(builder.add(Op::kSub, {ids[a], ids[b]}));
      expected.push_back(expected[a] - expected[b]);
    }
    std::map<std::string, std::int64_t> wanted;
    for (std::size_t i = 0; i < ids.size(); i += 3) {
      builder.output(ids[i], std::to_string(i));
      wanted[std::to_string(i)] = expected[i];
    }
    const Graph graph = builder.finish();
    for (const std::size_t count : graph::use_counts(graph)) ++use_hits[count];
    const NamedTensors outputs = run_graph(graph, {{"x", Tensor::scalar<std::int64_t>(5)}});
    ASSERT_EQ(outputs.size(), wanted.size());
    for (const auto& [name, value] : wanted) {
      ASSERT_EQ(outputs.at(name), Tensor::scalar(value)) << name;
    }
  }
  for (const std::size_t count : {0U, 1U, 2U, 3U}) EXPECT_GT(use_hits[count], 0) << count;
}

TEST(RunGraphTest, DoublePrecisionComputesEveryFloatInBinary64) {
  Builder builder("third");
  const ValueId x = builder.input("x", {DataType::kFloat32, {}});
  const ValueId three = builder.constant(Tensor::scalar(3.0F));
  const ValueId third = builder.add(Op::kDiv, {x, three});
  graph::Attributes to_float32;
  to_float32.set("to", std::int64_t{1});
  builder.output(builder.add(Op::kCast, {builder.add(Op::kExp, {third})}, to_float32), "y");
  const Graph graph = builder.finish();
  RunGraphOptions options;
  options.double_precision = true;
  const Tensor y = run_graph(graph, {{"x", Tensor::scalar(1.0F)}}, options).at("y");
  ASSERT_EQ(y.value_type(), (ValueType{DataType::kFloat64, {}}));
  EXPECT_EQ(y.data<double>()[0], std::exp(1.0 / 3.0));
  EXPECT_EQ(run_graph(graph, {{"x", Tensor::scalar(1.0)}}, options).at("y"), y);
}

TEST(RunGraphTest, DoublePrecisionKeepsQuantizationAsItIsDefined) {
  Builder builder("quantized");
  const ValueId x = builder.input("x", kFour);
  const ValueId scale = builder.constant(Tensor::scalar(0.5F));
  const ValueId zero = builder.constant(Tensor::scalar<std::int8_t>(3));
  const ValueId quantized = builder.add(Op::kQuantizeLinear, {x, scale, zero});
  const ValueId real = builder.add(Op::kDequantizeLinear, {quantized, scale, zero});
  builder.output(builder.add(Op::kAdd, {real, x}), "y");
  builder.output(quantized, "q");
  const Graph graph = builder.finish();
  RunGraphOptions options;
  options.double_precision = true;
  const NamedTensors outputs = run_graph(graph, {{"x", four({0.25, 0.75, -1, 100})}}, options);
  EXPECT_EQ(outputs.at("q"), Tensor::vector<std::int8_t>({3, 5, 1, 127}));
  EXPECT_EQ(outputs.at("y"), Tensor::vector<double>({0.25, 1.75, -2, 162}));
}

TEST(RunGraphTest, Float16NetworksRunInFloat16OrInDoublePrecision) {
  Builder builder("half");
  const ValueId x = builder.input("x", {DataType::kFloat16, {}});
  builder.output(builder.add(Op::kAdd, {x, x}), "y");
  const Graph graph = builder.finish();
  const Tensor large = Tensor::scalar(graph::Half{0x7BFF});  // 65504
  EXPECT_EQ(run_graph(graph, {{"x", large}}).at("y"), Tensor::scalar(graph::Half{0x7C00}));
  RunGraphOptions options;
  options.double_precision = true;
  EXPECT_EQ(run_graph(graph, {{"x", large}}, options).at("y"), Tensor::scalar(131008.0));
}

TEST(RunGraphTest, TheBuilderFoldsWithEvaluate) {
  Builder builder("folded", evaluate);
  const ValueId sum = builder.add(
      Op::kAdd, {builder.constant(Tensor::scalar(1.0F)), builder.constant(Tensor::scalar(2.0F))});
  ASSERT_TRUE(builder.graph().is_constant(sum));
  EXPECT_EQ(*builder.graph().values[sum].constant->ready(), Tensor::scalar(3.0F));
}

}  // namespace
}  // namespace weft::reference
