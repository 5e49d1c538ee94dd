// Checks the content of training graphs and the networks they refuse.
#include "compiler/autodiff/training_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/autodiff/rules.h"
#include "compiler/graph/builder/check.h"
#include "tests/autodiff/networks.h"

namespace weft::autodiff::testing {
namespace {

std::size_t count(const Graph& graph, Op op) {
  return static_cast<std::size_t>(std::ranges::count(graph.nodes, op, &graph::Node::op));
}

/// Returns the indices of the nodes on which the output `name` depends.
std::set<std::size_t> behind(const Graph& graph, const std::string& name) {
  std::set<ValueId> values;
  for (const graph::Output& output : graph.outputs) {
    if (output.name == name) values.insert(output.value);
  }
  std::set<std::size_t> nodes;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const graph::Node& node = graph.nodes[i];
    const auto wanted = [&](ValueId id) { return values.contains(id); };
    if (std::ranges::none_of(node.outputs, wanted)) continue;
    nodes.insert(i);
    values.insert(node.inputs.begin(), node.inputs.end());
  }
  return nodes;
}

/// logits = x + b: the gradient of b is the gradient of the logits, summed over the batch.
Graph biased(std::int64_t batch, std::int64_t classes) {
  Builder builder("biased");
  const ValueId x = builder.input("x", {DataType::kFloat32, {batch, classes}});
  const ValueId b = builder.constant(Tensor(DataType::kFloat32, {classes}), "b");
  builder.output(builder.add(Op::kAdd, {x, b}), "logits");
  return builder.finish();
}

// Both rows have the logits 0 and log 3, that is the probabilities 1/4 and 3/4. The targets are
// class 0 and class 1. The loss is (log 4 + log 4/3) / 2, its gradient (-3/4 + 1/4, 3/4 - 1/4) / 2.
TEST(TrainingGraphTest, LossAndGradientOfTwoRowsByHand) {
  const TrainingGraph training = training_graph(biased(2, 2));
  NamedTensors inputs = initial_inputs(training);
  const float log3 = std::log(3.0F);
  inputs.emplace("x", floats({2, 2}, {0, log3, 0, log3}));
  inputs.emplace(training.targets, floats({2, 2}, {1, 0, 0, 1}));
  const NamedTensors results = reference::run_graph(training.graph, inputs);
  EXPECT_NEAR(results.at(training.loss).data<float>()[0], std::log(16.0 / 3) / 2, 1e-6);
  EXPECT_EQ(results.at(training.loss).shape(), Shape{});
  ASSERT_EQ(training.parameters.size(), 1U);
  EXPECT_EQ(training.parameters[0].gradient, "gradient/b");
  const Tensor& gradient = results.at("gradient/b");
  EXPECT_NEAR(gradient.data<float>()[0], -0.25, 1e-6);
  EXPECT_NEAR(gradient.data<float>()[1], 0.25, 1e-6);
  EXPECT_EQ(results.at(training.logits), floats({2, 2}, {0, log3, 0, log3}));
}

TEST(TrainingGraphTest, LogitsOfAnySizeGiveFiniteLossAndGradients) {
  const TrainingGraph training = training_graph(biased(1, 3));
  NamedTensors inputs = initial_inputs(training);
  inputs.emplace("x", floats({1, 3}, {30000, -30000, 0}));
  inputs.emplace(training.targets, floats({1, 3}, {0, 1, 0}));
  const NamedTensors results = reference::run_graph(training.graph, inputs);
  EXPECT_EQ(results.at(training.loss), floats({}, {60000}));
  EXPECT_EQ(results.at("gradient/b"), floats({3}, {1, -1, 0}));
}

TEST(TrainingGraphTest, GradientsDoNotGoThroughTheLossOrAnyLogarithm) {
  Random random(1);
  const TrainingGraph training = training_graph(perceptron(random));
  EXPECT_EQ(count(training.graph, Op::kLogSoftmax), 1U);
  for (const Learned& each : training.parameters) {
    for (const std::size_t i : behind(training.graph, each.gradient)) {
      EXPECT_NE(training.graph.nodes[i].op, Op::kLogSoftmax);
      EXPECT_NE(training.graph.nodes[i].op, Op::kLog);
    }
  }
  const TrainingGraph silent = training_graph(perceptron(random), {.loss_output = false});
  EXPECT_EQ(silent.loss, "");
  EXPECT_EQ(count(silent.graph, Op::kLogSoftmax), 0U);
}

TEST(TrainingGraphTest, LossScaleMultipliesTheGradientsAlone) {
  Random random(1);
  const Graph network = perceptron(random);
  const TrainingGraph plain = training_graph(network);
  const TrainingGraph scaled = training_graph(network, {.loss_scale = 1024});
  NamedTensors inputs = initial_inputs(plain);
  inputs.emplace("x", floats({4, 6}, std::vector<float>(24, 0.5F)));
  inputs.emplace("targets", floats({4, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}));
  const NamedTensors once = reference::run_graph(plain.graph, inputs);
  const NamedTensors more = reference::run_graph(scaled.graph, inputs);
  EXPECT_EQ(once.at("loss"), more.at("loss"));
  for (const Learned& each : plain.parameters) {
    const auto a = once.at(each.gradient).data<float>();
    const auto b = more.at(each.gradient).data<float>();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(1024 * a[i], b[i]) << each.name;
  }
}

// Forward has two products. Backward has three: one for each weight matrix and one for the hidden
// values. The gradient of the input is not needed.
TEST(TrainingGraphTest, ComputesNoGradientThatIsNotNeeded) {
  Random random(1);
  const Graph& graph = training_graph(perceptron(random)).graph;
  EXPECT_EQ(count(graph, Op::kGemm), 2U);
  EXPECT_EQ(count(graph, Op::kMatMul), 3U);
  for (std::size_t uses : graph::use_counts(graph)) EXPECT_GT(uses, 0U);
}

// A stack of matrices [2, 3, 4] is multiplied by one matrix [4, 5]. Its gradient flattens the stack
// to one matrix [6, 4] instead of adding two products.
TEST(TrainingGraphTest, WeightsThatAStackSharesGetOneProduct) {
  Random random(1);
  NetworkBuilder net("stack", random);
  const ValueId x = net.input({2, 3, 4});
  const ValueId y = net.add(Op::kMatMul, {x, net.weights("w", {4, 5})});
  const Graph graph =
      training_graph(net.finish(net.add(Op::kReshape, {y, net.list({6, 5})}))).graph;
  EXPECT_EQ(count(graph, Op::kReduceSum), 1U);  // from the loss
  EXPECT_EQ(graph.type(graph.outputs.back().value).shape, (Shape{4, 5}));
  EXPECT_EQ(count(graph, Op::kMatMul), 2U);
}

TEST(TrainingGraphTest, ASoftmaxAtTheEndBelongsToTheLoss) {
  Builder builder("classifier");
  const ValueId x = builder.input("x", {DataType::kFloat32, {1, 2}});
  const ValueId b = builder.constant(floats({2}, {0, 0}), "b");
  builder.output(builder.add(Op::kSoftmax, {builder.add(Op::kAdd, {x, b})}), "probabilities");
  const TrainingGraph training = training_graph(builder.finish());
  EXPECT_EQ(training.logits, "probabilities");
  NamedTensors inputs = initial_inputs(training);
  inputs.emplace("x", floats({1, 2}, {3, 5}));
  inputs.emplace("targets", floats({1, 2}, {0, 1}));
  const NamedTensors results = reference::run_graph(training.graph, inputs);
  EXPECT_EQ(results.at("probabilities"), floats({1, 2}, {3, 5}));
  EXPECT_NEAR(results.at("loss").data<float>()[0], std::log1p(std::exp(-2.0)), 1e-6);
}

// x has mean 3 and population variance 5 over 4 elements. The running mean and variance are 10 and
// 20, and the momentum is 0.75.
TEST(TrainingGraphTest, RunningStatisticsAreUpdatedAsOnnxHasIt) {
  Builder builder("norm");
  const ValueId x = builder.input("x", {DataType::kFloat32, {4, 1}});
  std::vector<ValueId> inputs = {
      x, builder.constant(floats({1}, {2}), "scale"), builder.constant(floats({1}, {0.5}), "bias"),
      builder.constant(floats({1}, {10}), "mean"), builder.constant(floats({1}, {20}), "variance")};
  builder.output(
      builder.add(Op::kBatchNormalization, inputs, {{"momentum", 0.75F}, {"epsilon", 0.0F}}), "y");
  const TrainingGraph training = training_graph(builder.finish());
  ASSERT_EQ(training.statistics.size(), 2U);
  EXPECT_EQ(training.statistics[0].name, "mean");
  EXPECT_EQ(training.statistics[1].name, "variance");
  ASSERT_EQ(training.parameters.size(), 2U);
  NamedTensors values = initial_inputs(training);
  values.emplace("x", floats({4, 1}, {0, 2, 4, 6}));
  values.emplace("targets", floats({4, 1}, {1, 1, 1, 1}));
  const NamedTensors results = reference::run_graph(training.graph, values);
  EXPECT_EQ(results.at(training.statistics[0].updated), floats({1}, {8.25}));
  EXPECT_EQ(results.at("updated/variance"), floats({1}, {16.25}));
  const float side = 2 / std::sqrt(5.0F);
  const auto y = results.at("y").data<float>();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(y[i], side * static_cast<float>(2 * static_cast<int>(i) - 3) + 0.5F, 1e-6);
  }
}

TEST(TrainingGraphTest, ConstantsAreLearntOnceHoweverOftenTheyAreUsed) {
  Random random(1);
  NetworkBuilder net("tied", random);
  const ValueId x = net.input({2, 3});
  const ValueId w = net.weights("w", {3, 3});
  const ValueId y = net.add(Op::kMatMul, {net.add(Op::kMatMul, {x, w}), w});
  const TrainingGraph training = training_graph(net.finish(y));
  ASSERT_EQ(training.parameters.size(), 1U);
  EXPECT_EQ(training.parameters[0].name, "w");
}

TEST(TrainingGraphTest, InputsKeepTheirNamesWhereTargetsIsTaken) {
  Builder builder("named");
  const ValueId x = builder.input("targets", {DataType::kFloat32, {1, 2}});
  builder.output(builder.add(Op::kAdd, {x, builder.constant(floats({2}, {1, 2}), "b")}), "loss");
  const TrainingGraph training = training_graph(builder.finish());
  EXPECT_EQ(training.targets, "training/targets");
  EXPECT_EQ(training.loss, "training/loss");
  EXPECT_NO_THROW(graph::check(training.graph));
}

/// Returns the error for the network op(x + w), whose values are [1, 4] by default.
std::string error_with(Op op, const Attributes& attributes, const Shape& shape = {1, 4}) {
  Builder builder("refused");
  const ValueId x = builder.input("x", {DataType::kFloat32, shape});
  const ValueId w = builder.constant(Tensor(DataType::kFloat32, shape), "w");
  const ValueId y = builder.add(op, {builder.add(Op::kAdd, {x, w})}, attributes, "culprit");
  const ValueId logits = builder.add(Op::kFlatten, {y});
  builder.output(logits, "logits");
  const Graph network = builder.finish();
  return error_of([&] { training_graph(network); });
}

TEST(TrainingGraphTest, NamesNodeAndOperatorThatHaveNoGradient) {
  EXPECT_EQ(error_with(Op::kLrn, {{"size", std::int64_t{3}}}),
            "node 'culprit' (LRN): training: the operator has no gradient; replace or remove it");
}

TEST(TrainingGraphTest, RefusesRecurrencesThatAreNotUnrolled) {
  Random random(1);
  NetworkBuilder net("lstm", random);
  const ValueId x = net.input({1, 2, 4});
  const ValueId y = net.add(Op::kRnn, {x, net.weights("w", {1, 3, 4}), net.weights("r", {1, 3, 3})},
                            {{"hidden_size", std::int64_t{3}}});
  const Graph network = net.finish(net.add(Op::kReshape, {y, net.list({2, 3})}));
  EXPECT_NE(error_of([&] { training_graph(network); }).find("(RNN): training: "),
            std::string::npos);
}

TEST(TrainingGraphTest, RefusesWhatPassesHaveFused) {
  Random random(1);
  NetworkBuilder net("fused", random);
  const ValueId x = net.input({2, 3});
  const Graph network =
      net.finish(net.add(Op::kMatMul, {x, net.weights("w", {3, 3}), net.weights("b", {3})}));
  EXPECT_EQ(error_of([&] { training_graph(network); }),
            "node 'MatMul' (MatMul): training: it is a fused node; give the network before the "
            "fusing passes");
}

TEST(TrainingGraphTest, RefusesOutputsThatAreNoLogits) {
  Random random(1);
  NetworkBuilder net("wide", random);
  const ValueId x = net.input({2, 3, 4});
  const Graph network = net.finish(net.add(Op::kMatMul, {x, net.weights("w", {4, 4})}));
  EXPECT_EQ(error_of([&] { training_graph(network); }),
            "network 'wide': training: output 'logits' is float32 2x3x4; logits, float32 [batch, "
            "classes], are needed");
  Graph two = perceptron(random);
  two.outputs.push_back({"again", two.outputs[0].value});
  EXPECT_NE(error_of([&] { training_graph(two); }).find("2 outputs; one output"),
            std::string::npos);
}

TEST(TrainingGraphTest, RefusesNetworksWithNothingToLearn) {
  Builder builder("fixed");
  builder.output(builder.add(Op::kRelu, {builder.input("x", {DataType::kFloat32, {1, 2}})}), "y");
  const Graph network = builder.finish();
  EXPECT_NE(error_of([&] { training_graph(network); }).find("no constants to learn"),
            std::string::npos);
}

TEST(TrainingGraphTest, RefusesToLearnWhatIsNotFloat32) {
  Builder builder("half");
  const ValueId x = builder.input("x", {DataType::kFloat16, {1, 2}});
  const ValueId b = builder.constant(Tensor(DataType::kFloat16, {2}), "b");
  const ValueId y = builder.add(Op::kAdd, {x, b});
  builder.output(builder.add(Op::kCast, {y}, {{"to", std::int64_t{1}}}), "y");
  const Graph network = builder.finish();
  EXPECT_NE(error_of([&] { training_graph(network); }).find("constant 'b' is float16 2; only"),
            std::string::npos);
}

TEST(TrainingGraphTest, RefusesStatisticsThatAreComputedOrShared) {
  Random random(1);
  NetworkBuilder net("shared", random);
  const ValueId x = net.input({2, 3});
  const ValueId v = net.weights("v", {3}, 0, 1);
  const ValueId y = net.add(Op::kBatchNormalization, {x, net.weights("s", {3}), v, v, v});
  const Graph network = net.finish(y);
  EXPECT_NE(error_of([&] { training_graph(network); }).find("running mean and variance must be"),
            std::string::npos);
}

// A new operator must have a gradient or stand in this list.
TEST(TrainingGraphTest, EveryOperatorHasAGradientOrIsKnownToHaveNone) {
  const std::set<Op> none = {Op::kConvInteger,
                             Op::kQLinearConv,
                             Op::kMatMulInteger,
                             Op::kQLinearMatMul,
                             Op::kQuantizeLinear,
                             Op::kDequantizeLinear,
                             Op::kDynamicQuantizeLinear,
                             Op::kNot,
                             Op::kEqual,
                             Op::kLess,
                             Op::kGreater,
                             Op::kAnd,
                             Op::kOr,
                             Op::kXor,
                             Op::kIsNan,
                             Op::kIsInf,
                             Op::kArgMax,
                             Op::kArgMin,
                             Op::kOneHot,
                             Op::kGridSample,
                             Op::kLrn,
                             Op::kShape,
                             Op::kConstantOfShape,
                             Op::kResize,
                             Op::kRange,
                             Op::kLstm,
                             Op::kGru,
                             Op::kRnn};
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_NE(rule_of(op).function.has_value(), none.contains(op)) << to_string(op);
  }
}

}  // namespace
}  // namespace weft::autodiff::testing
