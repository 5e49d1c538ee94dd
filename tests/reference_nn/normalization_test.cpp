// Normalizations compared with their binary64 formulas; float32 results are within one rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240615;

/// Allows half a unit in the last place, and a little for binary64's own errors.
void expect_rounded(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_LE(std::abs(got[i] - expected[i]), kUnit * std::abs(expected[i]) * (1 + 1e-6) + 1e-15)
        << i;
  }
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  for (const double value : values) {
    result.variance += (value - result.mean) * (value - result.mean) / n;
  }
  return result;
}

TEST(BatchNormalizationTest, FollowsItsFormula) {
  Generator generator(kSeed);
  const Tensor x = random_reals(generator, {2, 3, 4, 5});
  const Tensor scale = random_reals(generator, {3});
  const Tensor bias = random_reals(generator, {3});
  const Tensor mean = random_reals(generator, {3});
  const Tensor variance = Tensor::vector<float>({0.25F, 1.5F, 0.0F});
  const double epsilon = static_cast<double>(1e-3F);
  const Tensor y =
      run(Op::kBatchNormalization, {{"epsilon", 1e-3F}}, {x, scale, bias, mean, variance})[0];
  std::vector<double> expected;
  for (const Ints& at : coordinates(x.shape())) {
    const auto c = static_cast<std::size_t>(at[1]);
    const double unit = (values(x)[offset(x.shape(), at)] - values(mean)[c]) /
                        std::sqrt(values(variance)[c] + epsilon);
    expected.push_back(unit * values(scale)[c] + values(bias)[c]);
  }
  expect_rounded(values(y), expected);
}

TEST(BatchNormalizationTest, TakesRowsWithoutSpatialDimensions) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor one = Tensor::vector<float>({1, 1});
  const Tensor zero = Tensor::vector<float>({0, 0});
  const Tensor variance = Tensor::vector<float>({4, 16});
  EXPECT_EQ(
      values(run(Op::kBatchNormalization, {{"epsilon", 0.0F}}, {x, one, zero, zero, variance})[0]),
      (std::vector<double>{0.5, 0.5, 1.5, 1}));
}

TEST(InstanceNormalizationTest, NormalizesEachPlane) {
  Generator generator(kSeed + 1);
  const Tensor x = random_reals(generator, {2, 3, 7, 5});
  const Tensor scale = random_reals(generator, {3});
  const Tensor bias = random_reals(generator, {3});
  const Tensor y = run(Op::kInstanceNormalization, {}, {x, scale, bias})[0];
  const double epsilon = static_cast<double>(1e-5F);
  const std::vector<double> xs = values(x);
  std::vector<double> expected;
  for (std::size_t plane = 0; plane < 6; ++plane) {
    const auto first = xs.begin() + static_cast<std::ptrdiff_t>(plane * 35);
    const std::vector<double> elements(first, first + 35);
    const Moments of = moments(elements);
    for (const double element : elements) {
      expected.push_back((element - of.mean) / std::sqrt(of.variance + epsilon) *
                             values(scale)[plane % 3] +
                         values(bias)[plane % 3]);
    }
  }
  expect_rounded(values(y), expected);
}

TEST(LayerNormalizationTest, NormalizesFromTheAxisOn) {
  Generator generator(kSeed + 2);
  const Tensor x = random_reals(generator, {2, 3, 4, 5});
  for (const std::int64_t axis : {-1, 1, 0, -2}) {
    SCOPED_TRACE(axis);
    const std::size_t from = static_cast<std::size_t>(axis < 0 ? axis + 4 : axis);
    const Shape normalized(x.shape().begin() + static_cast<std::ptrdiff_t>(from), x.shape().end());
    const Tensor scale = random_reals(generator, normalized);
    const Tensor bias = random_reals(generator, normalized);
    const auto outputs =
        run(Op::kLayerNormalization, {{"axis", axis}, {"epsilon", 0.5F}}, {x, scale, bias}, 3);
    const auto run_length = static_cast<std::size_t>(scale.size());
    const std::vector<double> xs = values(x);
    std::vector<double> expected;
    std::vector<double> means;
    std::vector<double> inverses;
    for (std::size_t first = 0; first < xs.size(); first += run_length) {
      const auto begin = xs.begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<double> elements(begin, begin + static_cast<std::ptrdiff_t>(run_length));
      const Moments of = moments(elements);
      means.push_back(of.mean);
      inverses.push_back(1 / std::sqrt(of.variance + 0.5));
      for (std::size_t i = 0; i < run_length; ++i) {
        expected.push_back((elements[i] - of.mean) * inverses.back() * values(scale)[i] +
                           values(bias)[i]);
      }
    }
    expect_rounded(values(outputs[0]), expected);
    expect_rounded(values(outputs[1]), means);
    expect_rounded(values(outputs[2]), inverses);
    Shape statistics = x.shape();
    std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(from), statistics.end(), 1);
    EXPECT_EQ(outputs[1].shape(), statistics);
  }
}

TEST(LayerNormalizationTest, DoesWithoutABias) {
  const Tensor x = Tensor::of<float>({1, 2}, {-1, 1});
  const Tensor scale = Tensor::vector<float>({2, 3});
  EXPECT_EQ(values(run(Op::kLayerNormalization, {{"epsilon", 0.0F}}, {x, scale})[0]),
            (std::vector<double>{-2, 3}));
}

// float16 results are rounded once; the statistics are float32 for any element type.
TEST(LayerNormalizationTest, GivesFloat32StatisticsOfFloat16) {
  const auto half = [](std::uint16_t bits) { return graph::Half{bits}; };
  const Tensor x = Tensor::of<graph::Half>({1, 2}, {half(0xBC00), half(0x4200)});  // -1, 3
  const Tensor scale = Tensor::vector<graph::Half>({half(0x3C00), half(0x4000)});  // 1, 2
  const auto outputs = run(Op::kLayerNormalization, {{"epsilon", 0.0F}}, {x, scale}, 3);
  EXPECT_EQ(outputs[0].data<graph::Half>()[0], half(0xBC00));
  EXPECT_EQ(outputs[0].data<graph::Half>()[1], half(0x4000));
  EXPECT_EQ(outputs[1].data<float>()[0], 1.0F);
  EXPECT_EQ(outputs[2].data<float>()[0], 0.5F);
}

// Size 2 covers a channel and the next, size 3 one on either side. alpha = size makes the factor 1.
TEST(LrnTest, SumsSquaresOfNeighboringChannels) {
  const Tensor x = Tensor::of<float>({1, 3, 1, 1}, {1, 2, 3});
  const auto with_size = [&](std::int64_t size) {
    return values(
        run(Op::kLrn,
            {{"size", size}, {"alpha", static_cast<float>(size)}, {"beta", 1.0F}, {"bias", 1.0F}},
            {x})[0]);
  };
  const auto single = [](float value) { return static_cast<double>(value); };
  EXPECT_EQ(with_size(2),
            (std::vector<double>{single(1.0F / 6), single(2.0F / 14), single(3.0F / 10)}));
  EXPECT_EQ(with_size(3),
            (std::vector<double>{single(1.0F / 6), single(2.0F / 15), single(3.0F / 14)}));
}

TEST(LrnTest, RaisesToBeta) {
  Generator generator(kSeed + 3);
  const Tensor x = random_reals(generator, {2, 7, 3, 2});
  const std::vector<double> y = values(run(Op::kLrn, {{"size", std::int64_t{5}}}, {x})[0]);
  for (const Ints& at : coordinates(x.shape())) {
    double squares = 0;
    for (std::int64_t c = std::max<std::int64_t>(at[1] - 2, 0);
         c <= std::min<std::int64_t>(at[1] + 2, 6); ++c) {
      squares += std::pow(values(x)[offset(x.shape(), {at[0], c, at[2], at[3]})], 2);
    }
    const double factor = static_cast<double>(1e-4F) / 5;
    const double expected = values(x)[offset(x.shape(), at)] / std::pow(1 + factor * squares, 0.75);
    // The base, the power and the quotient are rounded; errors of the squares' sum hardly count.
    EXPECT_LE(std::abs(y[offset(x.shape(), at)] - expected), 4 * kUnit * std::abs(expected));
  }
}

}  // namespace
}  // namespace weft::reference
