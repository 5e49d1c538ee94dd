#include "models/measurements/number_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::measurements {
namespace {

TEST(NumberTextTest, ReadsBothWays) {
  EXPECT_EQ(read_number("1,234.5").point, 1234.5);
  EXPECT_EQ(read_number("1,234.5").comma, std::nullopt);
  EXPECT_EQ(read_number("1.234,5").comma, 1234.5);
  EXPECT_EQ(read_number("1.234,5").point, std::nullopt);
  EXPECT_EQ(read_number("117.344").point, 117.344);
  EXPECT_EQ(read_number("117.344").comma, 117344);
  EXPECT_EQ(read_number("27.595.520").point, std::nullopt);
  EXPECT_EQ(read_number("1 234 567,25").comma, 1234567.25);
  EXPECT_EQ(read_number("1\u202F234").point, 1234);
  EXPECT_EQ(read_number("1'234.5").point, 1234.5);
  EXPECT_EQ(read_number("4.0e-05").point, 4.0e-05);
  EXPECT_EQ(read_number("7,123").point, 7123);
  EXPECT_EQ(read_number("7,123").comma, 7.123);
  EXPECT_EQ(read_number("0,336").point, std::nullopt);  // no group begins with 0
  EXPECT_EQ(read_number("0,336").comma, 0.336);
  EXPECT_EQ(read_number("0.336").comma, std::nullopt);
}

TEST(NumberTextTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "n/a", "nan", "inf", "1,23,456", "1,2345", "1234,567.8", "(1, 1, 1)",
                           "12 %", "1 23", "0x10", "1e999", "--1"}) {
    EXPECT_FALSE(read_number(text).point) << text;
  }
}

TEST(NumberTextTest, AFileHasOneStyle) {
  NumberStyle german;
  german.see(read_number("117.344"));
  EXPECT_FALSE(german.is_comma());
  EXPECT_TRUE(german.is_open());
  german.see(read_number("27.595.520"));
  EXPECT_TRUE(german.is_comma());
  EXPECT_FALSE(german.is_open());
  german.see(read_number("1,234.5"));
  EXPECT_THROW(german.is_comma(), InputError);
}

TEST(NumberTextTest, ATimeMayHaveAUnit) {
  EXPECT_EQ(time_of("0.5", 1), 0.5);
  EXPECT_DOUBLE_EQ(time_of("442 us", 0).value_or(0), 442e-6);
  EXPECT_DOUBLE_EQ(time_of("1.5ms", 1).value_or(0), 1.5e-3);
  for (const char* text : {"", "us", "1,5 ms", "1 minute", "nan", "inf s"}) {
    EXPECT_FALSE(time_of(text, 1)) << text;
  }
}

}  // namespace
}  // namespace weft::measurements
