// Runs ONNX's own node tests, published inputs and outputs, on the CUDA backend's bodies in loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>

#include "base/error.h"
#include "compiler/onnx/tensor_file.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/reference/cuda/device/loop_device.h"
#include "models/reference/cuda/graph/operators.h"
#include "tests/onnx/node_cases.h"

namespace weft::cuda {
namespace {

using graph::Tensor;
using onnx_io::testing::NodeCase;

// The tolerances of ONNX's own test runner.
bool close(double actual, double expected) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return actual == expected;
  return std::abs(actual - expected) <= 1e-7 + 1e-3 * std::abs(expected);
}

template <class T>
bool all_close(const Tensor& actual, const Tensor& expected) {
  return std::ranges::equal(actual.data<T>(), expected.data<T>(), [](T a, T b) {
    return close(static_cast<double>(a), static_cast<double>(b));
  });
}

bool agree(const Tensor& actual, const Tensor& expected) {
  if (actual.value_type() != expected.value_type()) return false;
  if (actual.type() == graph::DataType::kFloat32) return all_close<float>(actual, expected);
  if (actual.type() == graph::DataType::kFloat64) return all_close<double>(actual, expected);
  return actual == expected;
}

struct Result {
  bool on_device = false;  // at least one node
  std::string problem = {};
};

Result run(const NodeCase& test, const std::shared_ptr<Device>& device,
           std::set<graph::Op>& operators) {
  reference::NamedTensors inputs = onnx_io::testing::read_inputs(test);
  const graph::Graph graph = onnx_io::testing::import(test, inputs);
  onnx_io::testing::keep_inputs(graph, inputs);
  Result result;
  for (const graph::Node& node : graph.nodes) {
    if (find_operator(graph, node) == nullptr) continue;
    result.on_device = true;
    operators.insert(node.op);
  }
  if (!result.on_device) return result;
  const NamedTensors outputs = DeviceGraphRunner(graph, device).run(inputs);
  for (int i = 0; i < test.model.graph().output_size(); ++i) {
    const std::string& name = test.model.graph().output(i).name();
    const Tensor expected = onnx_io::read_tensor_pb(test.file("output", i));
    if (!agree(outputs.at(name), expected)) result.problem = "output " + name + " differs";
  }
  return result;
}

TEST(CudaNodeTest, PassesEveryNodeTestThatReachesTheDevice) {
  const auto device = std::make_shared<LoopDevice>();
  std::set<graph::Op> operators;
  int passed = 0;
  for (const auto& folder : onnx_io::testing::folders()) {
    const NodeCase test = onnx_io::testing::read_case(folder);
    if (onnx_io::testing::exclusion(test)) continue;
    const Result result = run(test, device, operators);
    EXPECT_EQ(result.problem, "") << test.name();
    passed += result.on_device && result.problem.empty() ? 1 : 0;
  }
  std::cout << passed << " node tests pass, with " << operators.size() << " operators\n";
  EXPECT_GT(passed, 250);
  EXPECT_GT(operators.size(), 55U);
}

}  // namespace
}  // namespace weft::cuda
