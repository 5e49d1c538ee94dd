// Gradients of Softmax and reductions.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft::autodiff::testing
