// Gradients small enough to work out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/autodiff/training_graph.h"
#include "sim/config/error.h"
#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

Tensor floats(Shape shape, const std::vector<float>& values) {
  return Tensor::of<float>(std::move(shape), values);
}

/// The gradients of one operator's inputs for a given gradient of its output.
NamedTensors gradients_of(Op op, const std::vector<Tensor>& inputs, const Tensor& seed,
                          const Attributes& attributes = {}) {
  Builder builder("example");
  std::vector<ValueId> ids;
  NamedTensors values = {{"seed/y", seed}};
  std::vector<std::string> wrt;
  for (const Tensor& input : inputs) {
    wrt.push_back(std::string(1, static_cast<char>('a' + wrt.size())));
    ids.push_back(builder.input(wrt.back(), input.value_type()));
    values.emplace(wrt.back(), input);
  }
  builder.output(builder.add(op, ids, attributes), "y");
  return reference::run_graph(gradient_graph(builder.finish(), wrt), values);
}

// [1 2] [5 6]   with dY = [1 0]:   dA = dY B' = [1 0] [5 7] = [ 5  7]   dB = A' dY = [1 3] [1 0] =
// [1 6] [3 4] [7 8]             [0 2]                 [0 2] [6 8]   [12 16]                [2 4] [0
// 2]   [2 8]
TEST(GradientExampleTest, ProductOfTwoByTwoMatrices) {
  const NamedTensors gradients =
      gradients_of(Op::kMatMul, {floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {5, 6, 7, 8})},
                   floats({2, 2}, {1, 0, 0, 2}));
  EXPECT_EQ(gradients.at("gradient/a"), floats({2, 2}, {5, 7, 12, 16}));
  EXPECT_EQ(gradients.at("gradient/b"), floats({2, 2}, {1, 6, 2, 8}));
}

TEST(GradientExampleTest, ReluLetsThroughWherePositiveAndNotAtZero) {
  const NamedTensors gradients =
      gradients_of(Op::kRelu, {floats({4}, {-1, 0, 0.5, 3})}, floats({4}, {10, 20, 30, 40}));
  EXPECT_EQ(gradients.at("gradient/a"), floats({4}, {0, 0, 30, 40}));
}

TEST(GradientExampleTest, SumOverTheAxesThatWereBroadcast) {
  const NamedTensors gradients = gradients_of(
      Op::kAdd, {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {5, 6})}, floats({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(gradients.at("gradient/a"), floats({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(gradients.at("gradient/b"), floats({2}, {4, 6}));
}

}  // namespace
}  // namespace weft::autodiff::testing
