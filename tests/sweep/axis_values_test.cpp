#include "runtime/analysis/axis_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> axis_values(std::string_view text) {
  return parse_values(text, "--key");
}

std::string refused_values(std::string_view text) {
  try {
    axis_values(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SweepValuesTest, ListsKeepTheirOrder) {
  EXPECT_THAT(axis_values("256,64,on"), ElementsAre("256", "64", "on"));
}

TEST(SweepValuesTest, SpacesAroundAValueDoNotCount) {
  EXPECT_THAT(axis_values("16 , 32"), ElementsAre("16", "32"));
  EXPECT_THAT(axis_values(" 1 .. 4 * 2 ,\ton "), ElementsAre("1", "2", "4", "on"));
  EXPECT_THAT(refused_values("1, ,2"), HasSubstr("a value is empty"));
}

TEST(SweepValuesTest, RangesCountMultiplyAndAdd) {
  EXPECT_THAT(axis_values("3..6"), ElementsAre("3", "4", "5", "6"));
  EXPECT_THAT(axis_values("100..1600*2"), ElementsAre("100", "200", "400", "800", "1600"));
  EXPECT_THAT(axis_values("100..1599*2"), ElementsAre("100", "200", "400", "800"));
  EXPECT_THAT(axis_values("1024..4096+1024"), ElementsAre("1024", "2048", "3072", "4096"));
  EXPECT_THAT(axis_values("0.5..1.25+0.25"), ElementsAre("0.5", "0.75", "1", "1.25"));
  EXPECT_THAT(axis_values("8..8"), ElementsAre("8"));
}

// 1.1^n by hand; beyond nine decimals digits are cut off.
TEST(SweepValuesTest, ProductsAreExactToNineDecimals) {
  EXPECT_THAT(axis_values("1..1.5*1.1"), ElementsAre("1", "1.1", "1.21", "1.331", "1.4641"));
  EXPECT_EQ(axis_values("1..2*1.001")[4], "1.004006004");  // 1.004006004001
}

TEST(SweepValuesTest, WhatComesTwiceCountsOnce) {
  EXPECT_THAT(axis_values("64,16..64*2,128,64"), ElementsAre("64", "16", "32", "128"));
}

TEST(SweepValuesTest, RefusesWhatIsNoRange) {
  EXPECT_THAT(refused_values(""), HasSubstr("--key: a value is empty"));
  EXPECT_THAT(refused_values("1,,2"), HasSubstr("a value is empty"));
  EXPECT_THAT(refused_values("1,"), HasSubstr("a value is empty"));
  EXPECT_THAT(refused_values("9..3"), HasSubstr("ends before it begins"));
  EXPECT_THAT(refused_values("1..9*1"), HasSubstr("leads nowhere"));
  EXPECT_THAT(refused_values("0..9*2"), HasSubstr("leads nowhere"));
  EXPECT_THAT(refused_values("1..9+0"), HasSubstr("leads nowhere"));
  for (const char* text : {"1..", "..3", "a..b", "1..x*2", "1..3*", "1..3+-1", "-1..3", "1e2..3"}) {
    EXPECT_THAT(refused_values(text), HasSubstr("a range is FIRST..LAST")) << text;
  }
  EXPECT_THAT(refused_values("1..1000001"), HasSubstr("more than 1000000 values"));
  EXPECT_EQ(axis_values("1..1000000").size(), 1'000'000U);
}

}  // namespace
}  // namespace weft::runtime
