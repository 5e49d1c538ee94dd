// The CPU reference computes what PyTorch does, on twelve networks as PyTorch exports them:
// recorded files and values, and, if PyTorch is installed (Debian: python3-torch), files of other
// weights and inputs, written anew. To record again:
//
//   python3 tests/onnx/exports/export.py tests/onnx/exports/recorded --forms all
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compiler/passes/optimize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/cli/temporary_folder.h"
#include "tests/onnx/exports/recorded.h"

namespace weft::onnx_io::testing {
namespace {

using graph::Tensor;
using reference::NamedTensors;

// Largest difference as a share of the largest element of the expected tensor. Both sides sum in
// float32, in different orders; the largest seen is 2e-6. The weights are drawn so that 5 % more of
// any one tensor changes an output by at least 6e-5, except for biases of keys, which the softmax
// cancels.
constexpr double kTolerance = 1e-5;

void expect_near(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.value_type(), expected.value_type());
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < expected.data<float>().size(); ++i) {
    const auto wanted = static_cast<double>(expected.data<float>()[i]);
    const double off = std::abs(static_cast<double>(actual.data<float>()[i]) - wanted);
    ASSERT_FALSE(std::isnan(off)) << "element " << i;
    largest = std::max(largest, std::abs(wanted));
    difference = std::max(difference, off);
  }
  EXPECT_LE(difference, kTolerance * largest);
}

void expect_near(const NamedTensors& actual, const NamedTensors& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    SCOPED_TRACE(name);
    expect_near(actual.at(name), tensor);
  }
}

class ExportsTest : public ::testing::TestWithParam<Form> {};

TEST_P(ExportsTest, ComputesWhatPytorchRecorded) {
  const Values values = read_values(*GetParam().network, recorded());
  const graph::Graph graph = import_form(GetParam(), recorded(), values.inputs);
  expect_near(reference::run_graph(graph, values.inputs), values.outputs);
}

TEST_P(ExportsTest, StillComputesItAfterThePasses) {
  const Values values = read_values(*GetParam().network, recorded());
  const graph::Graph graph = import_form(GetParam(), recorded(), values.inputs);
  const graph::Graph optimized =
      passes::optimize(passes::decompose_recurrent(graph), reference::evaluate);
  expect_near(reference::run_graph(optimized, values.inputs), values.outputs);
}

INSTANTIATE_TEST_SUITE_P(Forms, ExportsTest, ::testing::ValuesIn(forms()),
                         [](const auto& test) { return test.param.name(); });

bool succeeds(const std::string& command) {
  return std::system(command.c_str()) == 0;
}

class ExportsOfThisPytorchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!succeeds(WEFT_PYTHON " -c 'import numpy, torch' 2> /dev/null")) {
      GTEST_SKIP() << "python3 has no torch (Debian: python3-torch)";
    }
  }

  /// Exports all networks with this seed, as PyTorch writes them here.
  void write(int seed) const {
    const std::string command = WEFT_PYTHON " -B " WEFT_EXPORT_SCRIPT " --seed " +
                                std::to_string(seed) + " " + folder_.file("");
    ASSERT_TRUE(succeeds(command)) << command;
  }

  const test::TemporaryFolder folder_;
};

TEST_F(ExportsOfThisPytorchTest, AreComputedWithOtherWeights) {
  ASSERT_NO_FATAL_FAILURE(write(2));
  for (const Network& network : networks()) {
    SCOPED_TRACE(network.name);
    const Values values = read_values(network, folder_.file(""));
    const graph::Graph graph = import_form({&network, "model"}, folder_.file(""), values.inputs);
    expect_near(reference::run_graph(graph, values.inputs), values.outputs);
  }
}

TEST_F(ExportsOfThisPytorchTest, HaveTheRecordedValues) {
  ASSERT_NO_FATAL_FAILURE(write(1));
  for (const Network& network : networks()) {
    SCOPED_TRACE(network.name);
    const Values here = read_values(network, folder_.file(""));
    const Values there = read_values(network, recorded());
    EXPECT_EQ(here.inputs, there.inputs);
    expect_near(here.outputs, there.outputs);
  }
}

}  // namespace
}  // namespace weft::onnx_io::testing
