// A matrix must be row-major, zero at first, and never larger than memory.
#include "sim/memory/matrix.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "pe/float_formats.h"

namespace weft {
namespace {

TEST(MatrixTest, StartsAsZeros) {
  const Matrix matrix(ElementType::kInt32, 3, 5);
  EXPECT_EQ(matrix.type(), ElementType::kInt32);
  EXPECT_EQ(matrix.rows(), 3U);
  EXPECT_EQ(matrix.cols(), 5U);
  EXPECT_EQ(matrix.bytes().size(), 60U);
  for (const std::byte byte : matrix.bytes()) EXPECT_EQ(byte, std::byte{0});
}

TEST(MatrixTest, IsRowMajor) {
  Matrix matrix(ElementType::kInt8, 2, 3);
  for (int i = 0; i < 6; ++i) {
    const auto row = static_cast<std::uint64_t>(i / 3);
    matrix.set<std::int8_t>(row, static_cast<std::uint64_t>(i % 3),
                            static_cast<std::int8_t>(i - 3));
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::bit_cast<std::int8_t>(matrix.bytes()[i]), static_cast<int>(i) - 3);
  }
  EXPECT_EQ(matrix.at<std::int8_t>(1, 2), 2);
}

TEST(MatrixTest, HoldsEveryElementType) {
  Matrix halves(ElementType::kBf16, 2, 2);
  halves.set(1, 0, Bf16{0x3F80});
  EXPECT_EQ(halves.at<Bf16>(1, 0).bits, 0x3F80);
  EXPECT_EQ(halves.bytes()[4], std::byte{0x80});  // little endian, like the host
  Matrix floats(ElementType::kFloat32, 2, 2);
  floats.set(0, 1, 1.5F);
  EXPECT_EQ(floats.at<float>(0, 1), 1.5F);
}

TEST(MatrixTest, GivesTheRestOfARow) {
  Matrix matrix(ElementType::kFp16, 2, 3);
  matrix.set(1, 1, Fp16{7});
  EXPECT_EQ(matrix.row_from(1, 1).size(), 4U);
  EXPECT_EQ(matrix.row_from(1, 1)[0], std::byte{7});
  EXPECT_EQ(matrix.row_from(1, 3).size(), 0U);
}

TEST(MatrixTest, MayBeEmpty) {
  EXPECT_EQ(Matrix().bytes().size(), 0U);
  EXPECT_EQ(Matrix(ElementType::kInt8, 0, UINT64_MAX).bytes().size(), 0U);
}

TEST(MatrixTest, RefusesSizesThatOverflowOrExceedMemory) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 32U;
  EXPECT_THROW(Matrix(ElementType::kInt8, kHuge, kHuge), InputError);
  EXPECT_THROW(Matrix(ElementType::kInt32, kHuge, kHuge >> 2U), InputError);
  EXPECT_THROW(Matrix(ElementType::kFloat32, kHuge, kHuge >> 3U), InputError);
  EXPECT_THROW(Matrix(ElementType::kInt8, 1, std::uint64_t{1} << 50U), InputError);
}

}  // namespace
}  // namespace weft
