// Gradients of examples that are small enough to work out by hand.
#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

/// Returns the gradients of one operator's inputs for a given gradient of its output.
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

// A = [1 2]   B = [5 6]   dY = [1 0]   dA = dY B' = [ 5  7]   dB = A' dY = [1 6]
//     [3 4]       [7 8]        [0 2]               [12 16]               [2 8]
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

// Two windows of 2x2, side by side. The maximum 7 is the second and fourth element of the first
// window, and every element of the second.
TEST(GradientExampleTest, AMaxPoolsTieGoesToTheFirstInWindowOrder) {
  const Tensor x = floats({1, 1, 2, 4}, {1, 7, 7, 7, 2, 7, 7, 7});
  const NamedTensors gradients =
      gradients_of(Op::kMaxPool, {x}, floats({1, 1, 1, 2}, {10, 20}),
                   {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  EXPECT_EQ(gradients.at("gradient/a"), floats({1, 1, 2, 4}, {0, 10, 20, 0, 0, 0, 0, 0}));
}

// The windows of 3 at 0, 1 and 2 of [5 5 1 5 5] have their first maxima at 0, 1 and 3.
TEST(GradientExampleTest, WindowsThatOverlapEachGiveToTheirOwnFirst) {
  const NamedTensors gradients =
      gradients_of(Op::kMaxPool, {floats({1, 1, 5}, {5, 5, 1, 5, 5})},
                   floats({1, 1, 3}, {10, 20, 40}), {{"kernel_shape", Ints{3}}});
  EXPECT_EQ(gradients.at("gradient/a"), floats({1, 1, 5}, {10, 20, 0, 40, 0}));
}

// All elements are negative. Padding is not an element, so its 0 is not the maximum.
TEST(GradientExampleTest, PaddingIsNoMaximum) {
  const NamedTensors gradients =
      gradients_of(Op::kMaxPool, {floats({1, 1, 2}, {-3, -2})}, floats({1, 1, 3}, {10, 20, 40}),
                   {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 1}}});
  EXPECT_EQ(gradients.at("gradient/a"), floats({1, 1, 2}, {10, 60}));
}

TEST(GradientExampleTest, TiesOfOtherExtremesGoToTheFirst) {
  const Tensor x = floats({2, 3}, {4, 1, 4, 4, 1, 1});
  const auto of = [&](Op op, const Shape& shape, const Ints& axes) {
    return gradients_of(op, {x}, floats(shape, {10, 20}), {{"axes", axes}}).at("gradient/a");
  };
  EXPECT_EQ(of(Op::kReduceMax, {2, 1}, {1}), floats({2, 3}, {10, 0, 0, 20, 0, 0}));
  EXPECT_EQ(of(Op::kReduceMin, {2, 1}, {-1}), floats({2, 3}, {0, 10, 0, 0, 20, 0}));
  const Tensor all = gradients_of(Op::kReduceMin, {x}, floats({1, 1}, {10})).at("gradient/a");
  EXPECT_EQ(all, floats({2, 3}, {0, 10, 0, 0, 0, 0}));
  const Tensor plane =
      gradients_of(Op::kGlobalMaxPool, {x.reshaped({1, 1, 2, 3})}, floats({1, 1, 1, 1}, {10}))
          .at("gradient/a");
  EXPECT_EQ(plane, floats({1, 1, 2, 3}, {10, 0, 0, 0, 0, 0}));
}

TEST(GradientExampleTest, OfEqualOperandsTheFirstGetsAll) {
  const NamedTensors gradients = gradients_of(
      Op::kMax, {floats({3}, {1, 2, 3}), floats({3}, {1, 3, 2})}, floats({3}, {10, 20, 40}));
  EXPECT_EQ(gradients.at("gradient/a"), floats({3}, {10, 0, 40}));
  EXPECT_EQ(gradients.at("gradient/b"), floats({3}, {0, 20, 0}));
}

// Averages of 2 with one padded position at each end divide by 1, 2 and 1, or always by 2.
TEST(GradientExampleTest, AnAverageCountsPaddingOnlyIfAsked) {
  const auto of = [](std::int64_t counted) {
    return gradients_of(
               Op::kAveragePool, {floats({1, 1, 2}, {5, 6})}, floats({1, 1, 3}, {10, 20, 40}),
               {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 1}}, {"count_include_pad", counted}})
        .at("gradient/a");
  };
  EXPECT_EQ(of(0), floats({1, 1, 2}, {20, 50}));
  EXPECT_EQ(of(1), floats({1, 1, 2}, {15, 30}));
}

// x = [1 2 3], w = [10 100], y = [210 320]; dy = [1 2] gives dx = [10 120 200] and dw = [5 8].
TEST(GradientExampleTest, ConvolutionOfOneDimension) {
  const NamedTensors gradients = gradients_of(
      Op::kConv, {floats({1, 1, 3}, {1, 2, 3}), floats({1, 1, 2}, {10, 100}), floats({1}, {0})},
      floats({1, 1, 2}, {1, 2}));
  EXPECT_EQ(gradients.at("gradient/a"), floats({1, 1, 3}, {10, 120, 200}));
  EXPECT_EQ(gradients.at("gradient/b"), floats({1, 1, 2}, {5, 8}));
  EXPECT_EQ(gradients.at("gradient/c"), floats({1}, {3}));
}

// Row 1 is looked up twice, and row 2 by its index from the end.
TEST(GradientExampleTest, RowsOfATableThatAreLookedUpTwiceGetTheSum) {
  Builder builder("table");
  const ValueId table = builder.input("table", {DataType::kFloat32, {3, 2}});
  const ValueId rows = builder.input("rows", {DataType::kInt64, {3}});
  builder.output(builder.add(Op::kGather, {table, rows}), "y");
  const NamedTensors gradients =
      reference::run_graph(gradient_graph(builder.finish(), {"table"}),
                           {{"table", Tensor(DataType::kFloat32, {3, 2})},
                            {"rows", Tensor::vector<std::int64_t>({1, -1, 1})},
                            {"seed/y", floats({3, 2}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_EQ(gradients.at("gradient/table"), floats({3, 2}, {0, 0, 6, 8, 3, 4}));
}

TEST(GradientExampleTest, WhereThereIsNoPathTheGradientIsZero) {
  Builder builder("cut");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2}});
  const ValueId w = builder.input("w", {DataType::kFloat32, {2}});
  const ValueId chosen = builder.add(Op::kGreater, {w, x});
  builder.output(builder.add(Op::kWhere, {chosen, x, x}), "y");
  const NamedTensors gradients = reference::run_graph(
      gradient_graph(builder.finish(), {"w", "x"}),
      {{"x", floats({2}, {1, 2})}, {"w", floats({2}, {3, 4})}, {"seed/y", floats({2}, {5, 6})}});
  EXPECT_EQ(gradients.at("gradient/w"), floats({2}, {0, 0}));
  EXPECT_EQ(gradients.at("gradient/x"), floats({2}, {5, 6}));
}

// y = x + float(int(x)): no gradient flows through the integer.
TEST(GradientExampleTest, APathThroughIntegersEndsThere) {
  Builder builder("rounded");
  const ValueId x = builder.input("x", {DataType::kFloat32, {2}});
  const ValueId whole = builder.add(Op::kCast, {x}, {{"to", std::int64_t{7}}});
  const ValueId back = builder.add(Op::kCast, {whole}, {{"to", std::int64_t{1}}});
  builder.output(builder.add(Op::kAdd, {x, back}), "y");
  const NamedTensors gradients =
      reference::run_graph(gradient_graph(builder.finish(), {"x"}),
                           {{"x", floats({2}, {1.5, 2.5})}, {"seed/y", floats({2}, {5, 6})}});
  EXPECT_EQ(gradients.at("gradient/x"), floats({2}, {5, 6}));
}

TEST(GradientExampleTest, RefusesNamesThatAreNoInputsOrConstants) {
  Builder builder("named");
  builder.output(builder.add(Op::kRelu, {builder.input("x", {DataType::kFloat32, {2}})}), "y");
  const Graph network = builder.finish();
  EXPECT_THROW(gradient_graph(network, {"y"}), InputError);
  EXPECT_THROW(gradient_graph(network, {"z"}), InputError);
}

}  // namespace
}  // namespace weft::autodiff::testing
