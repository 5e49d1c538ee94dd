// Runs training graphs on the CUDA backend in loops. The device must have all their operators, and
// each node must match the CPU reference.
#include <gtest/gtest.h>

#include <iostream>

#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/builder/builder.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cuda/checks/operator_checks.h"
#include "models/reference/cuda/device/loop_device.h"

namespace weft::cuda {
namespace {

using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

/// Returns inputs of the network, one-hot targets, and the initial values of training.
NamedTensors inputs_of(const graph::Graph& network, const autodiff::TrainingGraph& training) {
  NamedTensors inputs = networks::sample_inputs(network, 1);
  const Shape& shape = network.type(network.outputs[0].value).shape;
  Tensor targets(graph::DataType::kFloat32, shape);
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    targets.mutable_data<float>()[static_cast<std::size_t>(row * shape[1] + row % shape[1])] = 1;
  }
  inputs[training.targets] = targets;
  for (const auto& learned : training.parameters) inputs[learned.name] = learned.initial.tensor();
  for (const auto& one : training.statistics) inputs[one.name] = one.initial.tensor();
  return inputs;
}

void expect_passes(const std::string& name, const graph::Graph& network, MatmulType type) {
  const autodiff::TrainingGraph training = autodiff::training_graph(network);
  const Outcome outcome = check_network(name, training.graph, inputs_of(network, training),
                                        std::make_shared<LoopDevice>(), type);
  std::cout << outcome.name << ": " << outcome.detail << '\n';
  EXPECT_TRUE(outcome.passed) << outcome.detail;
}

// Convolutions with stride, padding and groups, batch normalization, and both pools.
graph::Graph small_network() {
  Generator generator(6);
  graph::Builder builder("small");
  const auto weights = [&](const Shape& shape, const std::string& name) {
    return builder.constant(random_tensor(generator, shape), name);
  };
  const ValueId x = builder.input("x", {graph::DataType::kFloat32, {2, 2, 8, 8}});
  ValueId y = builder.add(Op::kConv, {x, weights({4, 2, 3, 3}, "w1")},
                          {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
  y = builder.add(Op::kBatchNormalization,
                  {y, weights({4}, "scale"), weights({4}, "shift"), weights({4}, "mean"),
                   builder.constant(positive_tensor(generator, {4}), "variance")});
  y = builder.add(Op::kMaxPool, {builder.add(Op::kRelu, {y})},
                  {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                   {"strides", std::vector<std::int64_t>{2, 2}}});
  y = builder.add(Op::kConv, {y, weights({4, 2, 3, 3}, "w2"), weights({4}, "b2")},
                  {{"group", std::int64_t{2}},
                   {"strides", std::vector<std::int64_t>{2, 2}},
                   {"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
  y = builder.add(Op::kFlatten, {builder.add(Op::kGlobalAveragePool, {y})});
  y = builder.add(Op::kGemm, {y, weights({4, 3}, "w3"), weights({3}, "b3")});
  builder.output(y, "logits");
  return builder.finish();
}

TEST(CudaTrainingTest, RunsEveryNodeOfTrainingGraphsAsTheCpuReferenceDoes) {
  expect_passes("lenet5", networks::build_network("lenet5", {.batch = 2}), MatmulType::kFloat32);
  for (const MatmulType type : {MatmulType::kFloat32, MatmulType::kBf16, MatmulType::kFp16}) {
    expect_passes("small", small_network(), type);
  }
}

TEST(CudaTrainingTest, HasEveryOperatorOfTheTrainingGraphsOfBuiltInNetworks) {
  for (const char* name : {"mlp", "lenet5", "resnet18", "resnet50", "vgg16", "mobilenetv2"}) {
    const autodiff::TrainingGraph training =
        autodiff::training_graph(networks::build_network(name, {.batch = 2}));
    const DeviceGraphRunner runner(training.graph, std::make_shared<LoopDevice>());
    EXPECT_EQ(runner.cpu_nodes(), std::vector<std::string>()) << name;
    std::cout << name << ": " << training.graph.nodes.size() << " nodes\n";
  }
}

}  // namespace
}  // namespace weft::cuda
