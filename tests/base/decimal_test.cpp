// A decimal fraction must become exactly the integer that it names. Other text is refused.
#include "base/decimal.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

TEST(DecimalTest, ParsesExactly) {
  EXPECT_EQ(parse_decimal("34", 9), 34'000'000'000U);
  EXPECT_EQ(parse_decimal("12.5", 9), 12'500'000'000U);
  EXPECT_EQ(parse_decimal("0.64", 9), 640'000'000U);
  EXPECT_EQ(parse_decimal("333.333", 6), 333'333'000U);
  EXPECT_EQ(parse_decimal("0.000001", 6), 1U);
  EXPECT_EQ(parse_decimal("18446744073709551615", 0), UINT64_MAX);
}

TEST(DecimalTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"", ".", "1.", ".5", "+1", "-1", " 1", "1 ", "1e3", "0x10", "1,5",
                           "1.2.3", "nan", "inf", "1_000", "\t1", "1\n"}) {
    EXPECT_FALSE(parse_decimal(text, 6)) << "'" << text << "'";
  }
}

TEST(DecimalTest, RefusesMoreDecimalsThanFit) {
  EXPECT_TRUE(parse_decimal("1.123456", 6));
  EXPECT_FALSE(parse_decimal("1.1234567", 6));
  EXPECT_FALSE(parse_decimal("1.0", 0));
}

TEST(DecimalTest, RefusesOverflow) {
  EXPECT_FALSE(parse_decimal("18446744073709551616", 0));
  EXPECT_FALSE(parse_decimal("18446744074", 9));
  EXPECT_FALSE(parse_decimal(std::string(400, '9'), 9));
}

TEST(DecimalTest, PrintsTheShortestText) {
  EXPECT_EQ(print_decimal(12'500'000'000U, 9), "12.5");
  EXPECT_EQ(print_decimal(700'000'000U, 6), "700");
  EXPECT_EQ(print_decimal(1, 6), "0.000001");
  EXPECT_EQ(print_decimal(0, 6), "0");
  EXPECT_EQ(print_decimal(100, 0), "100");
}

TEST(DecimalTest, ReadsBackWhatItPrints) {
  constexpr unsigned kSeed = 20261;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t value = random() >> random() % 64;
    for (const unsigned decimals : {0U, 6U, 9U}) {
      EXPECT_EQ(parse_decimal(print_decimal(value, decimals), decimals), value);
    }
  }
}

}  // namespace
}  // namespace weft
