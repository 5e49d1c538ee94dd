// Gradients of Softmax and reductions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::uint64_t kReductionCases = 40;

class SoftmaxGradientTest : public ::testing::TestWithParam<Op> {};

TEST_P(SoftmaxGradientTest, AlongAnyAxis) {
  for (std::uint64_t seed = 1; seed <= kReductionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rank = between(random, 1, 4);
    Case test;
    const ValueId x =
        test.variable(reals(random, random_shape(random, static_cast<std::size_t>(rank)), -3, 3));
    const std::int64_t axis = between(random, -rank, rank - 1);
    check_gradients(test, {test.builder.add(GetParam(), {x}, {{"axis", axis}})}, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, SoftmaxGradientTest,
                         ::testing::Values(Op::kSoftmax, Op::kLogSoftmax),
                         [](const auto& each) { return std::string(to_string(each.param)); });

class ReductionGradientTest : public ::testing::TestWithParam<Op> {};

Ints some_axes(Random& random, std::int64_t rank) {
  Ints axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (chance(random)) axes.push_back(chance(random) ? axis : axis - rank);
  }
  return axes;
}

TEST_P(ReductionGradientTest, OverAnyAxes) {
  std::array<int, 3> seen = {};
  for (std::uint64_t seed = 1; seed <= kReductionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rank = between(random, 1, 4);
    const Ints axes = some_axes(random, rank);
    const std::int64_t keep = between(random, 0, 1);
    Attributes attributes = {{"keepdims", keep}};
    Case test;
    std::vector<ValueId> inputs = {
        test.variable(distinct(random, random_shape(random, static_cast<std::size_t>(rank))))};
    if (GetParam() == Op::kReduceSum) {
      attributes.set("noop_with_empty_axes", between(random, 0, 1));
      if (!axes.empty() || chance(random)) inputs.push_back(test.list(axes));
    } else if (!axes.empty()) {
      attributes.set("axes", axes);
    }
    check_gradients(test, {test.builder.add(GetParam(), inputs, attributes)}, random);
    seen[axes.empty() ? 2 : static_cast<std::size_t>(keep)] += 1;
    if (HasFatalFailure()) return;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(Operators, ReductionGradientTest,
                         ::testing::Values(Op::kReduceSum, Op::kReduceMean, Op::kReduceMax,
                                           Op::kReduceMin),
                         [](const auto& each) { return std::string(to_string(each.param)); });

// Without zeros, with one and with several among the factors of a product.
TEST(ReductionGradientTest, OfProductsWithZeros) {
  std::array<int, 3> seen = {};
  for (std::uint64_t seed = 1; seed <= kReductionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rank = between(random, 1, 3);
    const Shape shape = random_shape(random, static_cast<std::size_t>(rank));
    Tensor x = reals_beside(random, shape, {0}, -1.5, 1.5);
    std::size_t zeros = 0;
    for (double& value : x.mutable_data<double>()) {
      if (seed % 3 == 0 || between(random, 0, 5) > 0) continue;
      value = 0;
      ++zeros;
    }
    seen[std::min<std::size_t>(zeros, 2)] += 1;
    Attributes attributes = {{"keepdims", between(random, 0, 1)}};
    const Ints axes = some_axes(random, rank);
    if (!axes.empty()) attributes.set("axes", axes);
    Case test;
    const ValueId y = test.builder.add(Op::kReduceProd, {test.variable(x)}, attributes);
    check_gradients(test, {y}, random);
    if (HasFatalFailure()) return;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(ReductionGradientTest, OfRunningSums) {
  for (std::uint64_t seed = 1; seed <= kReductionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rank = between(random, 1, 3);
    const Attributes attributes = {{"exclusive", between(random, 0, 1)},
                                   {"reverse", between(random, 0, 1)}};
    const std::int64_t axis = between(random, -rank, rank - 1);
    Case test;
    const ValueId x =
        test.variable(reals(random, random_shape(random, static_cast<std::size_t>(rank))));
    const ValueId along = test.fixed(Tensor::scalar(axis));
    check_gradients(test, {test.builder.add(Op::kCumSum, {x, along}, attributes)}, random);
    if (HasFatalFailure()) return;
  }
}

TEST(ReductionGradientTest, OfTheLargestOrSmallestElements) {
  for (std::uint64_t seed = 1; seed <= kReductionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rank = between(random, 1, 3);
    const Shape shape = random_shape(random, static_cast<std::size_t>(rank));
    const std::int64_t axis = between(random, 0, rank - 1);
    const std::int64_t k = between(random, 1, shape[static_cast<std::size_t>(axis)]);
    const Attributes attributes = {{"axis", chance(random) ? axis : axis - rank},
                                   {"largest", between(random, 0, 1)}};
    Case test;
    const ValueId x = test.variable(distinct(random, shape));
    const std::vector<std::string> names = chance(random)
                                               ? std::vector<std::string>{"values", "indices"}
                                               : std::vector<std::string>{"values"};
    const auto outputs = test.builder.add(Op::kTopK, {x, test.list({k})}, attributes, "top", names);
    check_gradients(test, {outputs[0]}, random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace weft::autodiff::testing
