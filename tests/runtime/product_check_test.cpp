// The check must notice a single wrong element and must forgive only rounding.
#include "runtime/product_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pe/float_formats.h"

namespace weft::runtime {
namespace {

MachineConfig machine(ElementType type) {
  MachineConfig config;
  config.dtype = type;
  return config;
}

TEST(CheckTest, FindsTheFirstWrongInteger) {
  Matrix a(ElementType::kInt8, 2, 1);
  Matrix b(ElementType::kInt8, 1, 2);
  for (std::uint64_t i = 0; i < 2; ++i) a.set<std::int8_t>(i, 0, 3);
  for (std::uint64_t i = 0; i < 2; ++i) b.set<std::int8_t>(0, i, -5);
  Matrix result(ElementType::kInt32, 2, 2);
  for (std::uint64_t i = 0; i < 4; ++i) result.set<std::int32_t>(i / 2, i % 2, -15);
  const reference::MatmulProblem problem{a, b, nullptr, Activation::kNone, 0, 0};
  EXPECT_TRUE(check_with_cpu(problem, result, machine(ElementType::kInt8), 1).bit_exact);
  result.set<std::int32_t>(1, 0, -14);
  result.set<std::int32_t>(1, 1, 0);
  const CheckReport report = check_with_cpu(problem, result, machine(ElementType::kInt8), 1);
  EXPECT_FALSE(report.bit_exact);
  EXPECT_EQ(report.max_abs_error, 15);
  ASSERT_TRUE(report.mismatch);
  EXPECT_EQ(report.mismatch->row, 1U);
  EXPECT_EQ(report.mismatch->col, 0U);
  EXPECT_EQ(report.mismatch->expected, "-15");
  EXPECT_EQ(report.mismatch->actual, "-14");
}

class FloatCheckTest : public testing::Test {
 protected:
  FloatCheckTest() : a_(ElementType::kBf16, 1, 4), b_(ElementType::kBf16, 4, 1) {
    for (std::uint64_t k = 0; k < 4; ++k) {
      a_.set(0, k, to_bf16(1.0F));
      b_.set(k, 0, to_bf16(1.0F));
    }
  }

  CheckReport check(float actual) {
    Matrix result(ElementType::kFloat32, 1, 1);
    result.set(0, 0, actual);
    return check_with_cpu({a_, b_, nullptr, Activation::kNone, 0, 0}, result,
                          machine(ElementType::kBf16), 1);
  }

  Matrix a_;
  Matrix b_;
};

TEST_F(FloatCheckTest, AcceptsRoundingAndNothingMore) {
  // K = 4 on a 4 x 4 array gives n = 4 + 1 + 2 roundings and norms 2 and 2. The bound is slightly
  // more than 4 * 7 * 2^-24, so that 3 ulps of 4 (2^-21 each) pass and 4 ulps do not.
  EXPECT_TRUE(check(4.0F).bit_exact);
  const CheckReport near = check(4.0F + 3 * 0x1p-21F);
  EXPECT_FALSE(near.bit_exact);
  EXPECT_FALSE(near.mismatch);
  EXPECT_EQ(near.max_abs_error, 3 * 0x1p-21);
  EXPECT_TRUE(check(4.0F + 4 * 0x1p-21F).mismatch);
}

TEST_F(FloatCheckTest, InfinitiesAndNaNsMustMatchInKind) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(check(infinity).mismatch);
  EXPECT_TRUE(check(NAN).mismatch);
  a_.set(0, 0, Bf16{0x7F80});
  EXPECT_TRUE(check(infinity).bit_exact);
  EXPECT_TRUE(check(-infinity).mismatch);
  EXPECT_TRUE(check(NAN).mismatch);
  EXPECT_TRUE(check(4.0F).mismatch);
  a_.set(0, 1, Bf16{0xFF80});
  EXPECT_TRUE(check(NAN).bit_exact);
  EXPECT_TRUE(check(infinity).mismatch);
}

TEST_F(FloatCheckTest, ForgivesOverflowOnTheWayOnly) {
  a_.set(0, 0, Bf16{0x7F7F});  // the largest bf16 twice, then subtracted again
  a_.set(0, 1, Bf16{0x7F7F});
  a_.set(0, 2, Bf16{0xFF7F});
  EXPECT_FALSE(check(std::numeric_limits<float>::infinity()).mismatch);
}

}  // namespace
}  // namespace weft::runtime
