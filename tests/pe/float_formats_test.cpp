// The oracle computes with values, never with bit tricks. A pattern's value follows from its
// definition (-1)^s * 1.m * 2^e by ldexp. The nearest pattern comes from a binary search over all
// values of the format. The oracle compares two gaps. If they are nearly equal, both are exact in
// binary64, because the value then lies in the binade of both patterns or in a neighboring one.
#include "pe/float_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace weft {
namespace {

struct Format {
  int mantissa_bits;
  int bias;
  std::uint32_t infinity;  // also the number of non-negative finite patterns
  std::uint16_t quiet_nan;
};

constexpr Format kBf16Format{7, 127, 0x7F80, 0x7FC0};
constexpr Format kFp16Format{10, 15, 0x7C00, 0x7E00};

/// The value of a finite, non-negative pattern. For the infinity pattern, it gives the value of the
/// next finite step, because rounding to nearest compares with that value.
double pattern_value(const Format& format, std::uint32_t pattern) {
  const int field = static_cast<int>(pattern >> format.mantissa_bits);
  const int fraction = static_cast<int>(pattern & ((1U << format.mantissa_bits) - 1));
  const int significand = field == 0 ? fraction : fraction + (1 << format.mantissa_bits);
  return std::ldexp(significand, (field == 0 ? 1 : field) - format.bias - format.mantissa_bits);
}

/// Rounds to nearest even by search.
std::uint16_t nearest_pattern(const Format& format, double value) {
  if (std::isnan(value)) return format.quiet_nan;
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0;
  const double magnitude = std::fabs(value);
  std::uint32_t low = 0;  // the largest pattern that is not above the magnitude
  for (std::uint32_t high = format.infinity; high - low > 1;) {
    const std::uint32_t middle = (low + high) / 2;
    (pattern_value(format, middle) <= magnitude ? low : high) = middle;
  }
  const double low_gap = magnitude - pattern_value(format, low);
  const double high_gap = pattern_value(format, low + 1) - magnitude;
  const bool up = high_gap < low_gap || (high_gap == low_gap && low % 2 == 1);
  return static_cast<std::uint16_t>(sign | (up ? low + 1 : low));
}

float pattern_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

/// Checks all four narrowings of one value against the oracle.
void expect_narrows_to_nearest(double value) {
  ASSERT_EQ(to_bf16(value).bits, nearest_pattern(kBf16Format, value)) << std::hexfloat << value;
  ASSERT_EQ(to_fp16(value).bits, nearest_pattern(kFp16Format, value)) << std::hexfloat << value;
  const float single = static_cast<float>(value);
  const double exact = static_cast<double>(single);
  ASSERT_EQ(to_bf16(single).bits, nearest_pattern(kBf16Format, exact)) << std::hexfloat << exact;
  ASSERT_EQ(to_fp16(single).bits, nearest_pattern(kFp16Format, exact)) << std::hexfloat << exact;
}

template <class Element>
void expect_every_pattern_widens_exactly(const Format& format) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float wide = to_float(Element{static_cast<std::uint16_t>(bits)});
    const std::uint32_t magnitude = bits & 0x7FFFU;
    ASSERT_EQ(std::signbit(wide), (bits & 0x8000U) != 0) << bits;
    if (magnitude > format.infinity) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
    } else if (magnitude == format.infinity) {
      ASSERT_TRUE(std::isinf(wide)) << bits;
    } else {
      ASSERT_EQ(std::fabs(static_cast<double>(wide)), pattern_value(format, magnitude)) << bits;
    }
  }
}

TEST(FloatFormatsTest, EveryBf16WidensExactly) {
  expect_every_pattern_widens_exactly<Bf16>(kBf16Format);
}

TEST(FloatFormatsTest, EveryFp16WidensExactly) {
  expect_every_pattern_widens_exactly<Fp16>(kFp16Format);
}

template <class Element>
void expect_a_nan_keeps_its_payload(std::uint16_t bits, int shift) {
  const std::uint32_t wide = std::bit_cast<std::uint32_t>(to_float(Element{bits}));
  const std::uint32_t payload_mask = (1U << (23 - shift)) - 1;
  EXPECT_EQ((wide & 0x7FFFFFU) >> shift, bits & payload_mask);
}

TEST(FloatFormatsTest, NansKeepTheirPayloadWhenWidened) {
  expect_a_nan_keeps_its_payload<Bf16>(0x7F81, 16);
  expect_a_nan_keeps_its_payload<Fp16>(0x7C01, 13);
  expect_a_nan_keeps_its_payload<Fp16>(0xFFFF, 13);
}

TEST(FloatFormatsTest, EveryValueOfAFormatNarrowsToItself) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float bf16 = to_float(Bf16{pattern});
    const float fp16 = to_float(Fp16{pattern});
    const std::uint16_t expected_bf16 = std::isnan(bf16) ? 0x7FC0 : pattern;
    const std::uint16_t expected_fp16 = std::isnan(fp16) ? 0x7E00 : pattern;
    ASSERT_EQ(to_bf16(bf16).bits, expected_bf16);
    ASSERT_EQ(to_bf16(static_cast<double>(bf16)).bits, expected_bf16);
    ASSERT_EQ(to_fp16(fp16).bits, expected_fp16);
    ASSERT_EQ(to_fp16(static_cast<double>(fp16)).bits, expected_fp16);
  }
}

/// Checks the midpoint of each pattern and the next, and the binary64 values just beside it. The
/// last finite pattern gives the overflow threshold.
void expect_ties_go_to_even(const Format& format) {
  for (std::uint32_t bits = 0; bits < format.infinity; ++bits) {
    const double tie = (pattern_value(format, bits) + pattern_value(format, bits + 1)) / 2;
    for (const double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, HUGE_VAL)}) {
      ASSERT_NO_FATAL_FAILURE(expect_narrows_to_nearest(value));
      ASSERT_NO_FATAL_FAILURE(expect_narrows_to_nearest(-value));
    }
  }
}

TEST(FloatFormatsTest, EveryBf16TieGoesToEven) {
  expect_ties_go_to_even(kBf16Format);
}

TEST(FloatFormatsTest, EveryFp16TieGoesToEven) {
  expect_ties_go_to_even(kFp16Format);
}

TEST(FloatFormatsTest, OverflowsToInfinityFromHalfAStepAboveTheLargestValue) {
  const double largest = 65504;
  const double threshold = 65520;
  EXPECT_EQ(to_fp16(std::nextafter(threshold, 0.0)).bits, to_fp16(largest).bits);
  EXPECT_EQ(to_fp16(threshold).bits, 0x7C00);
  EXPECT_EQ(to_fp16(-threshold).bits, 0xFC00);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(to_bf16(std::numeric_limits<double>::max()).bits, 0x7F80);
  EXPECT_EQ(to_bf16(pattern_float(0x7F7F7FFF)).bits, 0x7F7F);
  EXPECT_EQ(to_bf16(-HUGE_VAL).bits, 0xFF80);
}

TEST(FloatFormatsTest, SubnormalsAreKeptAndTheSmallestRoundsToZeroBelowHalf) {
  const double fp16_tiny = std::ldexp(1.0, -24);
  EXPECT_EQ(to_fp16(fp16_tiny).bits, 1);
  EXPECT_EQ(to_fp16(fp16_tiny / 2).bits, 0);
  EXPECT_EQ(to_fp16(-fp16_tiny / 2).bits, 0x8000);
  EXPECT_EQ(to_fp16(std::nextafter(fp16_tiny / 2, 1.0)).bits, 1);
  const double bf16_tiny = std::ldexp(1.0, -133);
  EXPECT_EQ(to_bf16(bf16_tiny).bits, 1);
  EXPECT_EQ(to_bf16(bf16_tiny / 2).bits, 0);
  EXPECT_EQ(to_bf16(std::nextafter(bf16_tiny / 2, 1.0)).bits, 1);
  EXPECT_EQ(to_fp16(std::numeric_limits<double>::denorm_min()).bits, 0);
  EXPECT_EQ(to_bf16(-std::numeric_limits<double>::denorm_min()).bits, 0x8000);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::denorm_min()).bits, 0);
}

TEST(FloatFormatsTest, BinarySixtyFourIsRoundedOnceOnly) {
  // 1 + 2^-11 is a tie of fp16 and goes down to the even 1. A slightly larger value must go up, but
  // binary32 cannot hold it and would make it the tie again.
  const double above_tie = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(to_fp16(above_tie).bits, 0x3C01);
  EXPECT_EQ(to_fp16(static_cast<float>(above_tie)).bits, 0x3C00);
  const double above_bf16_tie = 1 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  EXPECT_EQ(to_bf16(above_bf16_tie).bits, 0x3F81);
  EXPECT_EQ(to_bf16(static_cast<float>(above_bf16_tie)).bits, 0x3F80);
}

TEST(FloatFormatsTest, EveryNanBecomesTheQuietNan) {
  for (const std::uint32_t bits : {0x7F800001U, 0x7FC00000U, 0xFFFFFFFFU, 0xFF800001U}) {
    EXPECT_EQ(to_bf16(pattern_float(bits)).bits, 0x7FC0);
    EXPECT_EQ(to_fp16(pattern_float(bits)).bits, 0x7E00);
    EXPECT_EQ(to_bf16(static_cast<double>(pattern_float(bits))).bits, 0x7FC0);
    EXPECT_EQ(to_fp16(static_cast<double>(pattern_float(bits))).bits, 0x7E00);
  }
}

TEST(FloatFormatsTest, RandomBitsNarrowToTheNearestValue) {
  constexpr std::uint64_t kSeed = 20240601;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  int fp16_subnormals = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double any = std::bit_cast<double>(random());
    const double single =
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    const double near =
        std::ldexp(static_cast<double>(random()), -64 - static_cast<int>(random() % 34) + 17);
    fp16_subnormals += near < std::ldexp(1.0, -14) ? 1 : 0;
    for (const double value : {any, single, near}) {
      ASSERT_NO_FATAL_FAILURE(expect_narrows_to_nearest(value));
    }
  }
  EXPECT_GT(fp16_subnormals, 1000);
}

}  // namespace
}  // namespace weft
