// Gradients of normalizations. The reference runs instance and layer normalization. This file
// computes batch normalization in training form.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

constexpr std::uint64_t kNormalizationCases = 30;
constexpr float kEpsilon = 0.0625F;

/// y = scale (x - mean) / sqrt(variance + epsilon) + bias, with the mean and variance of each
/// channel over batch and positions.
Tensor batch_normalized(const Tensor& x, const Tensor& scale, const Tensor& bias) {
  Tensor y(DataType::kFloat64, x.shape());
  const auto batch = static_cast<std::size_t>(x.shape()[0]);
  const auto channels = static_cast<std::size_t>(x.shape()[1]);
  const std::size_t plane = static_cast<std::size_t>(x.size()) / batch / channels;
  const auto from = x.data<double>();
  const auto to = y.mutable_data<double>();
  const auto count = static_cast<double>(batch * plane);
  for (std::size_t c = 0; c < channels; ++c) {
    const auto each = [&](auto visit) {
      for (std::size_t n = 0; n < batch; ++n) {
        for (std::size_t p = 0; p < plane; ++p) visit((n * channels + c) * plane + p);
      }
    };
    double mean = 0;
    double variance = 0;
    each([&](std::size_t i) { mean += from[i] / count; });
    each([&](std::size_t i) { variance += (from[i] - mean) * (from[i] - mean) / count; });
    const double factor = scale.data<double>()[c] / std::sqrt(variance + double{kEpsilon});
    each([&](std::size_t i) { to[i] = (from[i] - mean) * factor + bias.data<double>()[c]; });
  }
  return y;
}

TEST(NormalizationGradientTest, BatchNormalizationByTheBatchsOwnStatistics) {
  std::array<int, 5> ranks = {};
  for (std::uint64_t seed = 1; seed <= kNormalizationCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rank = static_cast<std::size_t>(between(random, 2, 4));
    Shape shape = random_shape(random, rank, 3);
    shape[0] += 1;
    const std::int64_t channels = shape[1];
    Case test;
    std::vector<ValueId> inputs = {test.variable(reals(random, shape)),
                                   test.variable(reals(random, {channels})),
                                   test.variable(reals(random, {channels}))};
    for (const char* name : {"mean", "variance"}) {
      inputs.push_back(test.builder.constant(Tensor(DataType::kFloat32, {channels}), name));
      test.inputs.emplace(name, Tensor(DataType::kFloat32, {channels}));
    }
    const ValueId y = test.builder.add(Op::kBatchNormalization, inputs, {{"epsilon", kEpsilon}});
    check_gradients(test, {y}, random, [](const NamedTensors& given) -> NamedTensors {
      return {{"y0", batch_normalized(given.at("x0"), given.at("x1"), given.at("x2"))}};
    });
    ++ranks[rank];
    if (HasFatalFailure()) return;
  }
  for (const std::size_t rank : {2U, 3U, 4U}) EXPECT_GT(ranks[rank], 0);
}

TEST(NormalizationGradientTest, InstanceNormalization) {
  for (std::uint64_t seed = 1; seed <= kNormalizationCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape shape = random_shape(random, static_cast<std::size_t>(between(random, 3, 5)), 3);
    Case test;
    const ValueId x = test.variable(reals(random, shape));
    const ValueId scale = test.variable(reals(random, {shape[1]}));
    const ValueId bias = test.variable(reals(random, {shape[1]}));
    check_gradients(
        test,
        {test.builder.add(Op::kInstanceNormalization, {x, scale, bias}, {{"epsilon", kEpsilon}})},
        random);
    if (HasFatalFailure()) return;
  }
}

TEST(NormalizationGradientTest, LayerNormalizationOverTheLastAxes) {
  std::array<int, 3> seen = {};
  for (std::uint64_t seed = 1; seed <= kNormalizationCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::int64_t rank = between(random, 1, 4);
    const Shape shape = random_shape(random, static_cast<std::size_t>(rank), 4);
    const std::int64_t axis = between(random, -rank, rank - 1);
    const Shape inner(shape.begin() + (axis < 0 ? axis + rank : axis), shape.end());
    Case test;
    std::vector<ValueId> inputs = {test.variable(reals(random, shape)),
                                   test.variable(reals(random, inner))};
    const bool biased = chance(random);
    if (biased) inputs.push_back(test.variable(reals(random, inner)));
    check_gradients(test,
                    {test.builder.add(Op::kLayerNormalization, inputs,
                                      {{"axis", axis}, {"epsilon", kEpsilon}})},
                    random);
    ++seen[biased ? 1 : 0];
    seen[2] += inner.size() > 1;
    if (HasFatalFailure()) return;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

// Only the scale is a variable, so the rule emits no nodes for the other gradients.
TEST(NormalizationGradientTest, OfAScaleAlone) {
  Random random(5);
  Case test;
  const ValueId x = test.fixed(reals(random, {2, 3}));
  const ValueId scale = test.variable(reals(random, {3}));
  check_gradients(test, {test.builder.add(Op::kLayerNormalization, {x, scale})}, random);
}

}  // namespace
}  // namespace weft::autodiff::testing
