#include "models/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "pe/float_formats.h"

namespace weft {
namespace {

TEST(RandomMatrixTest, IsTheSameForTheSameSeed) {
  const Matrix one = random_matrix(ElementType::kInt8, 20, 30, 5, RandomStream::kA);
  EXPECT_EQ(one, random_matrix(ElementType::kInt8, 20, 30, 5, RandomStream::kA));
  EXPECT_NE(one, random_matrix(ElementType::kInt8, 20, 30, 6, RandomStream::kA));
}

TEST(RandomMatrixTest, GivesEachOperandItsOwnStream) {
  const Matrix a = random_matrix(ElementType::kInt8, 8, 8, 1, RandomStream::kA);
  EXPECT_NE(a, random_matrix(ElementType::kInt8, 8, 8, 1, RandomStream::kB));
  EXPECT_NE(a, random_matrix(ElementType::kInt8, 8, 8, 1, RandomStream::kBias));
}

TEST(RandomMatrixTest, HitsEveryInt8ValueAboutEquallyOften) {
  const Matrix matrix = random_matrix(ElementType::kInt8, 256, 256, 1, RandomStream::kA);
  std::array<int, 256> counts{};
  for (const std::byte byte : matrix.bytes()) ++counts[std::to_integer<std::size_t>(byte)];
  for (const int count : counts) {
    EXPECT_GT(count, 256 - 96);  // six standard deviations of 16
    EXPECT_LT(count, 256 + 96);
  }
}

TEST(RandomMatrixTest, DrawsFloatsFromMinusOneToOne) {
  const Matrix matrix = random_matrix(ElementType::kFloat32, 100, 100, 3, RandomStream::kBias);
  double sum = 0;
  float least = 0;
  float most = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const float value = matrix.at<float>(i / 100, i % 100);
    EXPECT_GE(value, -1.0F);
    EXPECT_LT(value, 1.0F);
    sum += double{value};
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_LT(std::abs(sum / 10000), 6 * 0.58 / 100);  // six standard errors
  EXPECT_LT(least, -0.99F);
  EXPECT_GT(most, 0.99F);
}

TEST(RandomMatrixTest, RoundsTheSameDrawsToTheArraysType) {
  const Matrix wide = random_matrix(ElementType::kFloat32, 9, 9, 3, RandomStream::kA);
  const Matrix bf16 = random_matrix(ElementType::kBf16, 9, 9, 3, RandomStream::kA);
  const Matrix fp16 = random_matrix(ElementType::kFp16, 9, 9, 3, RandomStream::kA);
  for (std::uint64_t i = 0; i < 81; ++i) {
    EXPECT_EQ(bf16.at<Bf16>(i / 9, i % 9), to_bf16(wide.at<float>(i / 9, i % 9)));
    EXPECT_EQ(fp16.at<Fp16>(i / 9, i % 9), to_fp16(wide.at<float>(i / 9, i % 9)));
  }
}

}  // namespace
}  // namespace weft
