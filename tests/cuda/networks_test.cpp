// Runs whole networks on the CUDA backend in loops. Compares each node with the CPU reference on
// the inputs that the node had.
#include "models/networks/networks.h"

#include <gtest/gtest.h>

#include <iostream>

#include "compiler/graph/builder/builder.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "models/reference/cuda/checks/operator_checks.h"
#include "models/reference/cuda/device/loop_device.h"

namespace weft::cuda {
namespace {

class CudaNetworksTest : public ::testing::TestWithParam<MatmulType> {
 protected:
  void expect_passes(const std::string& name, const graph::Graph& graph,
                     const NamedTensors& inputs) {
    const Outcome outcome =
        check_network(name, graph, inputs, std::make_shared<LoopDevice>(), GetParam());
    std::cout << outcome.name << ": " << outcome.detail << '\n';
    EXPECT_TRUE(outcome.passed) << outcome.detail;
  }
};

TEST_P(CudaNetworksTest, RunsLeNet) {
  const graph::Graph graph = networks::build_network("lenet5", {.batch = 2});
  expect_passes("lenet5", graph, networks::sample_inputs(graph, 1));
}

TEST_P(CudaNetworksTest, RunsAPerceptron) {
  const graph::Graph graph = networks::build_network("mlp", {.batch = 3});
  expect_passes("mlp", graph, networks::sample_inputs(graph, 1));
}

TEST_P(CudaNetworksTest, RunsAnLstmPartlyOnTheCpu) {
  const graph::Graph graph = networks::build_network("lstm", {.batch = 1, .sequence = 3});
  expect_passes("lstm", graph, networks::sample_inputs(graph, 1));
}

TEST_P(CudaNetworksTest, TakesATrainingStep) {
  const TrainingStep step = training_step(11);
  expect_passes("training step", step.graph, step.inputs);
}

INSTANTIATE_TEST_SUITE_P(, CudaNetworksTest,
                         ::testing::Values(MatmulType::kFloat32, MatmulType::kTf32,
                                           MatmulType::kBf16, MatmulType::kFp16),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// An update is element-wise, so the same gradients must give the same bits as on the CPU.
TEST(CudaUpdateTest, HasTheBitsOfTheCpuReference) {
  graph::Builder builder("update");
  const graph::ValueType type{graph::DataType::kFloat32, {1000}};
  const graph::ValueId value = builder.input("w", type);
  const graph::ValueId gradient = builder.input("g", type);
  const graph::ValueId moment = builder.input("v", type);
  const graph::ValueId rate = builder.input("rate", {graph::DataType::kFloat32, {1}});
  using enum graph::Op;
  const graph::ValueId square = builder.add(kMul, {gradient, gradient});
  const graph::ValueId average = builder.add(kAdd, {builder.add(kMul, {moment, rate}), square});
  const graph::ValueId root = builder.add(kSqrt, {average});
  const graph::ValueId step = builder.add(kDiv, {gradient, builder.add(kAdd, {root, rate})});
  builder.output(builder.add(kSub, {value, builder.add(kMul, {step, rate})}), "updated");
  const graph::Graph graph = builder.finish();
  Generator generator(4);
  const NamedTensors inputs{{"w", random_tensor(generator, {1000})},
                            {"g", random_tensor(generator, {1000})},
                            {"v", positive_tensor(generator, {1000})},
                            {"rate", graph::Tensor::of<float>({1}, {0.01F})}};
  EXPECT_EQ(DeviceGraphRunner(graph, std::make_shared<LoopDevice>()).run(inputs),
            reference::run_graph(graph, inputs));
}

}  // namespace
}  // namespace weft::cuda
