#include "models/counter_random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace weft {
namespace {

TEST(CounterRandomTest, MixesAsSplitMix64Does) {
  // First outputs of the reference implementation with seed 1234567.
  constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15U;
  EXPECT_EQ(mix(1234567 + kGamma), 6457827717110365317U);
  EXPECT_EQ(mix(1234567 + 2 * kGamma), 3203168211198807973U);
  EXPECT_EQ(mix(1234567 + 3 * kGamma), 9817491932198370423U);
}

TEST(CounterRandomTest, DrawsEachNumberByItsPositionAlone) {
  const CounterRandom random(7, 3);
  std::vector<float> all(1001);
  std::vector<float> few(10);
  random.fill(all, 0, 1);
  random.fill(few, 0, 1);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(all[i], few[i]);
}

TEST(CounterRandomTest, SeparatesSeedsAndStreams) {
  const std::array<CounterRandom, 4> randoms = {CounterRandom(1, 0), CounterRandom(1, 1),
                                                CounterRandom(2, 0), CounterRandom(0, 1)};
  for (std::size_t a = 0; a < randoms.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(randoms[a].bits(0), randoms[b].bits(0));
  }
}

TEST(CounterRandomTest, FillsBothElementsOfAPairWithBitsOfTheirOwn) {
  std::vector<float> values(1000);
  CounterRandom(3, 1).fill(values, 0, 1);
  double product = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    EXPECT_NE(values[i], values[i + 1]);
    product += static_cast<double>(values[i]) * static_cast<double>(values[i + 1]);
  }
  // The product of two independent values has variance 1/9. The bound is six standard deviations of
  // the mean of 500 products.
  EXPECT_NEAR(product / 500, 0, 6 * std::sqrt(1.0 / 9 / 500));
}

TEST(CounterRandomTest, FillsUniformlyAboutTheCentre) {
  constexpr std::size_t kCount = 100'001;  // odd: the last element is not half of a pair
  std::vector<float> values(kCount);
  CounterRandom(5, 5).fill(values, 2, 0.5F);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    ASSERT_GE(value, 1.5F);
    ASSERT_LT(value, 2.5F);
    sum += static_cast<double>(value);
    squares += (static_cast<double>(value) - 2) * (static_cast<double>(value) - 2);
  }
  // The standard deviation is 0.5 / sqrt(3), and the mean's is that / sqrt(n). The bound is six of
  // them.
  const double deviation = 0.5 / std::sqrt(3.0);
  EXPECT_NEAR(sum / kCount, 2, 6 * deviation / std::sqrt(double{kCount}));
  // If u is uniform in +-s, u^2 has variance s^4 * 4 / 45.
  EXPECT_NEAR(squares / kCount, deviation * deviation,
              6 * 0.25 * std::sqrt(4.0 / 45 / double{kCount}));
}

}  // namespace
}  // namespace weft
