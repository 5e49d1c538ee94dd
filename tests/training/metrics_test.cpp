#include "models/training/metrics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::training {
namespace {

using graph::Tensor;

Metrics of(const graph::Shape& shape, const std::vector<float>& logits,
           const std::vector<std::int32_t>& labels) {
  return measure(Tensor::of<float>(shape, logits), labels);
}

TEST(MetricsTest, GiveTheEntropyOfAnEvenGuess) {
  const Metrics metrics = of({1, 4}, {3, 3, 3, 3}, {2});
  EXPECT_DOUBLE_EQ(metrics.loss(), std::log(4.0));
  EXPECT_EQ(metrics.correct, 0);  // the first of equal maxima is the answer
}

TEST(MetricsTest, GiveTheLossOfTheFormula) {
  // The losses are -log(e^1 / (e^1 + e^2)) = log(1 + e) and log(1 + 1/e).
  const Metrics metrics = of({2, 2}, {1, 2, 1, 2}, {0, 1});
  EXPECT_DOUBLE_EQ(metrics.loss(), (std::log1p(std::exp(1.0)) + std::log1p(std::exp(-1.0))) / 2);
  EXPECT_DOUBLE_EQ(metrics.accuracy(), 0.5);
}

TEST(MetricsTest, DoNotOverflow) {
  const float huge = 3e38F;
  EXPECT_EQ(of({1, 2}, {huge, -huge}, {0}).loss(), 0);
  EXPECT_DOUBLE_EQ(of({1, 2}, {huge, -huge}, {1}).loss(), 2.0 * static_cast<double>(huge));
}

TEST(MetricsTest, CountOnlyRowsWithALabel) {
  const Metrics metrics = of({3, 2}, {0, 9, 9, 0, 0, 0}, {1, 0});
  EXPECT_EQ(metrics.count, 2);
  EXPECT_EQ(metrics.correct, 2);
}

TEST(MetricsTest, GiveNoNumberForWhatIsNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::array<float, 2>& row :
       {std::array{nan, 1.0F}, std::array{1.0F, nan}, std::array{infinity, 1.0F},
        std::array{-infinity, -infinity}}) {
    const Metrics metrics = of({1, 2}, {row[0], row[1]}, {0});
    EXPECT_FALSE(std::isfinite(metrics.loss())) << row[0] << ' ' << row[1];
    EXPECT_EQ(metrics.correct, 0) << row[0] << ' ' << row[1];
  }
}

TEST(MetricsTest, AddUp) {
  Metrics sum = of({1, 2}, {1, 2}, {0});
  sum.add(of({1, 2}, {1, 2}, {1}));
  const Metrics both = of({2, 2}, {1, 2, 1, 2}, {0, 1});
  EXPECT_EQ(sum.loss(), both.loss());
  EXPECT_EQ(sum.count, 2);
  EXPECT_EQ(sum.correct, 1);
}

}  // namespace
}  // namespace weft::training
