#include "pe/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace weft {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

TEST(Int8ArithmeticTest, EveryProductIsExact) {
  for (int a = -128; a <= 127; ++a) {
    for (int w = -128; w <= 127; ++w) {
      ASSERT_EQ(Int8Arithmetic::mac(static_cast<std::int8_t>(a), static_cast<std::int8_t>(w), 1),
                a * w + 1);
    }
  }
}

TEST(Int8ArithmeticTest, TheSumWrapsAtBothEnds) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(Int8Arithmetic::mac(1, 1, kMax), kMin);
  EXPECT_EQ(Int8Arithmetic::mac(1, -1, kMin), kMax);
  EXPECT_EQ(Int8Arithmetic::mac(-128, -128, kMax), kMin + 16383);
  EXPECT_EQ(Int8Arithmetic::add(kMax, 1), kMin);
  EXPECT_EQ(Int8Arithmetic::add(kMin, -1), kMax);
  EXPECT_EQ(Int8Arithmetic::add(kMin, kMin), 0);
}

TEST(Int8ArithmeticTest, BitsOfAnOperandAreThoseOfItsElement) {
  for (std::uint32_t pattern = 0; pattern <= 0xFFFFU; ++pattern) {
    const auto element = Int8Arithmetic::from_bits(static_cast<std::uint16_t>(pattern));
    ASSERT_EQ(Int8Arithmetic::to_bits(Int8Arithmetic::widen(element)), pattern & 0xFFU);
  }
}

template <class Arithmetic>
class BitsOfOperandTest : public testing::Test {};
using FloatArithmetics = testing::Types<Bf16Arithmetic, Fp16Arithmetic>;
TYPED_TEST_SUITE(BitsOfOperandTest, FloatArithmetics);

TYPED_TEST(BitsOfOperandTest, AreThoseOfItsElementForEveryPattern) {
  for (std::uint32_t pattern = 0; pattern <= 0xFFFFU; ++pattern) {
    const auto element = TypeParam::from_bits(static_cast<std::uint16_t>(pattern));
    ASSERT_EQ(TypeParam::to_bits(TypeParam::widen(element)), pattern);
  }
}

TEST(FloatArithmeticTest, TheMacRoundsOnce) {
  // If the product overflows binary32 but the sum does not, two roundings give infinity.
  const float huge = std::ldexp(1.0F, 64);
  const float low = -std::ldexp(1.0F, 127);
  EXPECT_EQ(huge * huge + low, kInfinity);
  EXPECT_EQ(Bf16Arithmetic::mac(huge, huge, low), std::ldexp(1.0F, 127));
  // If the product underflows, two roundings lose it; here it decides a tie.
  const float tiny = std::ldexp(1.0F, -100);
  const float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(tiny * tiny, 0.0F);
  EXPECT_EQ(Bf16Arithmetic::mac(std::ldexp(1.5F, -75), std::ldexp(1.0F, -75), smallest),
            2 * smallest);
}

TEST(FloatArithmeticTest, TheMacEqualsTheExactResultRoundedOnce) {
  // With operands and psum within 2^+-20, product and sum are exact in binary64. One conversion is
  // then the only rounding.
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const auto operand = [&random] {
    return to_float(to_bf16(
        std::ldexp(static_cast<double>(random() % 512) - 256, static_cast<int>(random() % 8) - 8)));
  };
  int rounded = 0;
  for (int i = 0; i < 100'000; ++i) {
    const float a = operand();
    const float w = operand();
    const float psum = static_cast<float>(static_cast<std::int64_t>(random() >> 30)) / 1024;
    const double exact = double{a} * double{w} + double{psum};
    rounded += static_cast<double>(static_cast<float>(exact)) != exact ? 1 : 0;
    ASSERT_EQ(bits(Bf16Arithmetic::mac(a, w, psum)), bits(static_cast<float>(exact)));
  }
  EXPECT_GT(rounded, 10'000);
}

TEST(FloatArithmeticTest, EveryNanIsTheCanonicalOne) {
  const float odd_nan = std::bit_cast<float>(0xFFC12345U);
  EXPECT_EQ(bits(Bf16Arithmetic::mac(odd_nan, 1, 1)), kCanonicalNan);
  EXPECT_EQ(bits(Bf16Arithmetic::mac(1, odd_nan, 1)), kCanonicalNan);
  EXPECT_EQ(bits(Bf16Arithmetic::mac(1, 1, odd_nan)), kCanonicalNan);
  EXPECT_EQ(bits(Fp16Arithmetic::mac(kInfinity, 0, 1)), kCanonicalNan);
  EXPECT_EQ(bits(Fp16Arithmetic::mac(kInfinity, 1, -kInfinity)), kCanonicalNan);
  EXPECT_EQ(bits(Bf16Arithmetic::add(kInfinity, -kInfinity)), kCanonicalNan);
  EXPECT_EQ(bits(Bf16Arithmetic::add(odd_nan, 1)), kCanonicalNan);
}

TEST(FloatArithmeticTest, InfinitiesPassThrough) {
  EXPECT_EQ(Bf16Arithmetic::mac(kInfinity, -2, 5), -kInfinity);
  EXPECT_EQ(Bf16Arithmetic::mac(1, 1, kInfinity), kInfinity);
  EXPECT_EQ(Bf16Arithmetic::add(3e38F, 3e38F), kInfinity);
}

TEST(FloatArithmeticTest, AChainFromPlusZeroNeverGivesMinusZero) {
  EXPECT_EQ(bits(Bf16Arithmetic::mac(-0.0F, 1.0F, +0.0F)), bits(+0.0F));
  EXPECT_EQ(bits(Bf16Arithmetic::mac(1.0F, 1.0F, -1.0F)), bits(+0.0F));
  EXPECT_EQ(bits(Bf16Arithmetic::mac(-0.0F, 1.0F, -0.0F)), bits(-0.0F));
  EXPECT_EQ(bits(Bf16Arithmetic::add(-0.0F, +0.0F)), bits(+0.0F));
  EXPECT_EQ(bits(Bf16Arithmetic::add(-0.0F, -0.0F)), bits(-0.0F));
}

TEST(FloatArithmeticTest, SubnormalResultsAreKept) {
  const float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(Bf16Arithmetic::mac(std::ldexp(1.0F, -75), std::ldexp(1.0F, -74), 0.0F), smallest);
  EXPECT_EQ(Bf16Arithmetic::add(smallest, smallest), 2 * smallest);
}

TEST(WithArithmeticTest, ChoosesTheArithmeticOfTheType) {
  const auto type_of = [](auto arithmetic) { return decltype(arithmetic)::kType; };
  for (const ElementType type : {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16}) {
    EXPECT_EQ(with_arithmetic(type, type_of), type);
  }
}

}  // namespace
}  // namespace weft
