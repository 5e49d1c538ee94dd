// Training graphs on small machines. All of a graph stays on the machine and all engines agree.
// Every layer matches the float64 CPU reference within the roundings of the array's type.
#include <gtest/gtest.h>

#include <memory>

#include "compiler/autodiff/training_graph.h"
#include "compiler/schedule/compile_network.h"
#include "runtime/network_check.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::Graph;

/// A network under construction.
class Network {
 public:
  explicit Network(Random& random) : random_(random), builder_("net") {}

  ValueId input(const Shape& shape) { return builder_.input("x", {DataType::kFloat32, shape}); }
  ValueId relu(ValueId x) { return builder_.add(Op::kRelu, {x}); }
  ValueId gemm(ValueId x, std::int64_t inputs, std::int64_t outputs) {
    if (random_.chance(50)) {
      return builder_.add(Op::kGemm, {x, weights({outputs, inputs}), weights({outputs})},
                          {{"transB", std::int64_t{1}}});
    }
    const ValueId product = builder_.add(Op::kMatMul, {x, weights({inputs, outputs})});
    return builder_.add(Op::kAdd, {product, weights({outputs})});
  }
  ValueId conv(ValueId x, std::int64_t inputs, std::int64_t outputs) {
    return builder_.add(Op::kConv, {x, weights({outputs, inputs, 3, 3}), weights({outputs})},
                        {{"pads", Ints{1, 1, 1, 1}}});
  }
  ValueId batch_norm(ValueId x, std::int64_t channels) {
    const auto all = [&](float value) {
      Tensor tensor(DataType::kFloat32, {channels});
      for (float& each : tensor.mutable_data<float>()) each = value;
      return builder_.constant(std::move(tensor));
    };
    return builder_.add(Op::kBatchNormalization, {x, all(1), all(0), all(0), all(1)});
  }
  ValueId pool(ValueId x) {
    return builder_.add(Op::kMaxPool, {x}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  }
  ValueId add(ValueId a, ValueId b) { return builder_.add(Op::kAdd, {a, b}); }
  ValueId strided(ValueId x, std::int64_t inputs, std::int64_t outputs, std::int64_t kernel) {
    return builder_.add(Op::kConv, {x, weights({outputs, inputs, kernel, kernel})},
                        {{"pads", Ints(4, kernel / 2)}, {"strides", Ints{2, 2}}});
  }
  ValueId averages(ValueId x) {
    x = builder_.add(Op::kAveragePool, {x},
                     {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
    return builder_.add(Op::kGlobalAveragePool, {x});
  }
  ValueId flatten(ValueId x) { return builder_.add(Op::kFlatten, {x}); }

  Graph finish(ValueId logits) {
    builder_.output(logits, "logits");
    return builder_.finish();
  }

 private:
  ValueId weights(const Shape& shape) { return builder_.constant(random_.reals(shape, 0.5F)); }

  Random& random_;
  Builder builder_;
};

/// A training graph whose parameters come from a map on demand and may change between runs.
struct Training {
  Training(const Graph& network, Random& random)
      : parts(autodiff::training_graph(network, {.loss_scale = 1, .loss_output = false})),
        values(std::make_shared<runtime::NamedTensors>()) {
    std::map<std::string, graph::Constant> constants;
    const auto bind = [&](const auto& learned) {
      values->emplace(learned.name, learned.initial.tensor());
      constants.emplace(learned.name,
                        graph::Constant(learned.type, [from = values, name = learned.name] {
                          return from->at(name);
                        }));
    };
    for (const autodiff::Learned& learned : parts.parameters) bind(learned);
    for (const autodiff::Statistic& statistic : parts.statistics) bind(statistic);
    graph = prepared(autodiff::bind_inputs(parts.graph, constants));
    for (const ValueId input : graph.inputs) {
      inputs.emplace(graph.values[input].name, random.reals(graph.type(input).shape, 1));
    }
  }

  autodiff::TrainingGraph parts;
  std::shared_ptr<runtime::NamedTensors> values;
  Graph graph;
  runtime::NamedTensors inputs;
};

/// Runs on all engines and checks every layer.
void expect_within_bounds(const NetworkProgram& program, const MachineConfig& config,
                          const runtime::NamedTensors& inputs) {
  run_everywhere(program, config, inputs);
  runtime::NetworkRunOptions options;
  options.keep_results = true;
  const runtime::NetworkRun run = runtime::run_network(program, config, inputs, options);
  const runtime::NetworkCheck check = runtime::check_network(program, config, inputs, run);
  EXPECT_FALSE(check.mismatch.has_value()) << *check.mismatch << "\n" << layer_table(program);
  EXPECT_GE(2 * check.layers.size(), layers_of(program).size());
}

MachineConfig training_machine(Random& random) {
  MachineConfig config =
      random_layer_machine(random.one_of({ElementType::kBf16, ElementType::kFp16}), random);
  config.unified_buffer_kib = random.one_of<std::uint32_t>({16, 64, 512});
  return config;
}

void check_mlp(Random& random, Hits& hits) {
  const MachineConfig config = training_machine(random);
  const std::int64_t batch = random.between(1, 12);
  const std::int64_t inputs = size_about(config.array_rows, random);
  const std::int64_t hidden = size_about(config.array_cols, random);
  const std::int64_t classes = random.between(2, 10);
  Network net(random);
  const ValueId x = net.relu(net.gemm(net.input({batch, inputs}), inputs, hidden));
  const Training training(net.finish(net.gemm(x, hidden, classes)), random);
  const CompileOptions options{.mapping = {.effort = random_effort(random)}};
  const NetworkProgram program = compile_network(training.graph, config, options);
  EXPECT_TRUE(host_steps(program).empty()) << layer_table(program);
  expect_within_bounds(program, config, training.inputs);
  ++hits[batch > config.array_rows ? "batch larger" : "batch fits"];
  ++hits["hidden " + size_class(hidden, config.array_cols)];
}

TEST(TrainingTest, TheMachineTakesAllOfAnMlp) {
  Hits hits;
  for_each_seed(hits, [](Random& random, Hits& seen) { check_mlp(random, seen); });
  expect_hits(hits, {"batch larger", "batch fits", "hidden side", "hidden larger"}, 20);
}

Graph small_cnn(bool normalized, Random& random) {
  Network net(random);
  ValueId x = net.conv(net.input({4, 1, 8, 8}), 1, 4);
  if (normalized) x = net.batch_norm(x, 4);
  x = net.conv(net.pool(net.relu(x)), 4, 6);
  x = net.flatten(net.pool(net.relu(x)));
  return net.finish(net.gemm(x, 24, 10));
}

TEST(TrainingTest, TheMachineTakesAllOfACnn) {
  for (const std::uint32_t side : {4U, 8U, 16U}) {
    SCOPED_TRACE(side);
    Random random(side);
    const Training training(small_cnn(false, random), random);
    const MachineConfig config = small_machine(ElementType::kBf16, side, side);
    const NetworkProgram program = compile_network(training.graph, config);
    EXPECT_TRUE(host_steps(program).empty()) << layer_table(program);
    expect_within_bounds(program, config, training.inputs);
  }
}

TEST(TrainingTest, ASmallBufferGivesTheGradientsOfALargeOne) {
  Random random(3);
  const Training training(small_cnn(false, random), random);
  MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  const auto program = [&] { return compile_network(training.graph, config); };
  const runtime::NetworkRun large = runtime::run_network(program(), config, training.inputs, {});
  config = with_smallest_buffer(training.graph, config);
  // Find the smallest buffer in which the machine computes every sum itself.
  while (!host_steps(program()).empty()) ++config.unified_buffer_kib;
  ASSERT_LE(config.unified_buffer_kib, 16U);
  const runtime::NetworkRun small = runtime::run_network(program(), config, training.inputs, {});
  EXPECT_EQ(large.outputs, small.outputs);
  EXPECT_GT(small.traffic.input_bytes, large.traffic.input_bytes);
}

TEST(TrainingTest, OfABatchNormalizationTheHostScalesTheRunningStatisticsAlone) {
  Random random(5);
  const Training training(small_cnn(true, random), random);
  const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  const NetworkProgram program = compile_network(training.graph, config);
  for (const HostStep& step : host_steps(program)) {
    EXPECT_EQ(step.reason, "its first operand is constant");
  }
  expect_within_bounds(program, config, training.inputs);
}

TEST(TrainingTest, TheForwardAndBackwardOfAResidualBlockAreWithinTheirBounds) {
  Random random(6);
  Network net(random);
  const ValueId x = net.relu(net.conv(net.input({4, 3, 8, 8}), 3, 4));
  const ValueId straight = net.batch_norm(net.strided(x, 4, 6, 1), 6);
  ValueId y = net.relu(net.batch_norm(net.strided(x, 4, 6, 3), 6));
  y = net.relu(net.add(net.batch_norm(net.conv(y, 6, 6), 6), straight));
  const Training training(net.finish(net.gemm(net.flatten(net.averages(y)), 6, 10)), random);
  for (const ElementType dtype : {ElementType::kBf16, ElementType::kFp16}) {
    const MachineConfig config = small_machine(dtype, 8, 8);
    const NetworkProgram program = compile_network(training.graph, config);
    for (const HostStep& step : host_steps(program)) {
      EXPECT_EQ(step.reason, "its first operand is constant") << layer_table(program);
    }
    expect_within_bounds(program, config, training.inputs);
  }
}

TEST(TrainingTest, ASessionHasTheBitsOfSingleRunsWhenWeightsChange) {
  Random random(7);
  Training training(small_cnn(false, random), random);
  const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  const NetworkProgram program = compile_network(training.graph, config);
  runtime::NetworkSession session(program, config, {});
  runtime::NamedTensors before;
  for (int step = 0; step < 3; ++step) {
    for (auto& [name, tensor] : *training.values) tensor = random.reals(tensor.shape(), 0.5F);
    const runtime::NetworkRun expected = runtime::run_network(program, config, training.inputs, {});
    const runtime::NetworkRun actual = session.run(training.inputs);
    EXPECT_EQ(actual.outputs, expected.outputs);
    EXPECT_EQ(actual.total, expected.total);
    EXPECT_EQ(actual.ledger, expected.ledger);
    EXPECT_EQ(actual.layers.size(), expected.layers.size());
    EXPECT_NE(actual.outputs, before) << "new weights must change the gradients";
    before = actual.outputs;
  }
}

}  // namespace
}  // namespace weft::compiler::testing
