// Gradients of matrix products and convolutions.
#include <gtest/gtest.h>

#include <array>

#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

constexpr std::uint64_t kContractionCases = 40;

Shape joined(Shape front, const Shape& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

/// Returns some trailing extents of `batch`, and replaces a random part of them by 1.
Shape broadcast_part(Random& random, const Shape& batch) {
  const auto skip = between(random, 0, static_cast<std::int64_t>(batch.size()));
  Shape part(batch.begin() + skip, batch.end());
  for (std::int64_t& extent : part) extent = chance(random) ? 1 : extent;
  return part;
}

TEST(ContractionGradientTest, MatMulOfStacksMatricesAndVectors) {
  std::array<int, 4> seen = {};
  for (std::uint64_t seed = 1; seed <= kContractionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape batch = random_shape(random, static_cast<std::size_t>(between(random, 0, 2)), 3);
    const std::int64_t m = between(random, 1, 4), k = between(random, 1, 4);
    const std::int64_t n = between(random, 1, 4);
    const bool row = between(random, 0, 4) == 0, column = between(random, 0, 4) == 0;
    const Shape left = broadcast_part(random, batch), right = broadcast_part(random, batch);
    Case test;
    const ValueId a = test.variable(reals(random, row ? Shape{k} : joined(left, {m, k})));
    const ValueId b = test.variable(reals(random, column ? Shape{k} : joined(right, {k, n})));
    check_gradients(test, {test.builder.add(Op::kMatMul, {a, b})}, random);
    seen[0] += row;
    seen[1] += column;
    seen[2] += !row && !column && left != right;
    seen[3] += !row && !column && !left.empty() && right.empty();
    if (HasFatalFailure()) return;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(ContractionGradientTest, GemmInAllItsForms) {
  std::array<int, 4> seen = {};
  for (std::uint64_t seed = 1; seed <= kContractionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::int64_t m = between(random, 1, 4), k = between(random, 1, 4);
    const std::int64_t n = between(random, 1, 4);
    const bool turn_a = chance(random), turn_b = chance(random);
    Case test;
    std::vector<ValueId> inputs;
    inputs.push_back(test.variable(reals(random, turn_a ? Shape{k, m} : Shape{m, k})));
    inputs.push_back(test.variable(reals(random, turn_b ? Shape{n, k} : Shape{k, n})));
    const std::vector<Shape> forms = {{m, n}, {n}, {1, n}, {m, 1}, {1}, {}};
    const auto form = static_cast<std::size_t>(between(random, 0, 6));
    if (form < forms.size()) inputs.push_back(test.variable(reals(random, forms[form])));
    const Attributes attributes = {{"alpha", chance(random) ? 1.0F : 0.75F},
                                   {"beta", chance(random) ? 1.0F : -1.5F},
                                   {"transA", std::int64_t{turn_a}},
                                   {"transB", std::int64_t{turn_b}}};
    check_gradients(test, {test.builder.add(Op::kGemm, inputs, attributes)}, random);
    ++seen[turn_a ? 1 : 0];
    ++seen[turn_b ? 3 : 2];
    if (HasFatalFailure()) return;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace weft::autodiff::testing
