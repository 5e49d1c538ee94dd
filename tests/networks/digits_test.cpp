#include "models/networks/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"

namespace weft::networks {
namespace {

constexpr std::size_t kPixels = 28 * 28;

std::span<const float> image(const Digits& digits, std::size_t i) {
  return digits.images.data<float>().subspan(i * kPixels, kPixels);
}

double squared_distance(std::span<const float> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < kPixels; ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return sum;
}

using Means = std::array<std::vector<double>, 10>;

Means class_means(const Digits& digits) {
  Means means;
  means.fill(std::vector<double>(kPixels));
  const double each = static_cast<double>(digits.labels.size()) / 10;
  for (std::size_t i = 0; i < digits.labels.size(); ++i) {
    auto& mean = means[static_cast<std::size_t>(digits.labels[i])];
    for (std::size_t p = 0; p < kPixels; ++p) {
      mean[p] += static_cast<double>(image(digits, i)[p]) / each;
    }
  }
  return means;
}

int nearest(const Means& means, std::span<const float> image) {
  const auto distance = [&](const std::vector<double>& mean) {
    return squared_distance(image, mean);
  };
  return static_cast<int>(std::ranges::min_element(means, {}, distance) - means.begin());
}

TEST(DigitsTest, ShowTheTenClassesInTurn) {
  const Digits digits = draw_digits(25, 1);
  EXPECT_EQ(digits.images.shape(), (graph::Shape{25, 1, 28, 28}));
  ASSERT_EQ(digits.labels.size(), 25U);
  for (std::size_t i = 0; i < 25; ++i) EXPECT_EQ(digits.labels[i], static_cast<int>(i % 10));
}

TEST(DigitsTest, AreInkOnPaperThatStaysOnTheSheet) {
  const Digits digits = draw_digits(500, 2);
  for (std::size_t i = 0; i < 500; ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < kPixels; ++p) {
      const float value = image(digits, i)[p];
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 1);
      sum += static_cast<double>(value);
      const std::size_t y = p / 28;
      const std::size_t x = p % 28;
      const bool edge = x == 0 || y == 0 || x == 27 || y == 27;
      EXPECT_TRUE(value == 0 || !edge) << "image " << i;
    }
    // A digit's line is about 20 to 60 pixels long and 2 to 3 wide.
    EXPECT_GT(sum, 25) << "image " << i;
    EXPECT_LT(sum, 220) << "image " << i;
  }
}

TEST(DigitsTest, DependOnSeedAndNumberAlone) {
  const Digits few = draw_digits(12, 3);
  const Digits many = draw_digits(40, 3);
  const Digits other = draw_digits(12, 4);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_TRUE(std::ranges::equal(image(few, i), image(many, i)));
    EXPECT_FALSE(std::ranges::equal(image(few, i), image(other, i)));
  }
  EXPECT_FALSE(std::ranges::equal(image(many, 0), image(many, 10)));  // both show a zero
}

TEST(DigitsTest, CanBeToldApartByTheirClassMeans) {
  const Means means = class_means(draw_digits(1000, 5));
  const Digits unseen = draw_digits(1000, 6);
  int right = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    if (nearest(means, image(unseen, i)) == unseen.labels[i]) ++right;
  }
  EXPECT_GT(right, 800);   // the classes have structure
  EXPECT_LT(right, 1000);  // and leave something to learn
}

TEST(DigitsTest, MayBeNone) {
  const Digits digits = draw_digits(0, 1);
  EXPECT_EQ(digits.images.size(), 0);
  EXPECT_TRUE(digits.labels.empty());
}

TEST(DigitsTest, RefuseImpossibleCounts) {
  EXPECT_THROW(draw_digits(-1, 1), InputError);
  EXPECT_THROW(draw_digits(std::int64_t{1} << 60, 1), InputError);
}

}  // namespace
}  // namespace weft::networks
