#include "runtime/sweep/space/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/error.h"

namespace weft::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames = {"array.rows", "rows", "cols"};

double value_of(const std::string& text) {
  return Expression(text, kNames, "--where").value(std::array<double, 3>{64, 64, 32});
}

std::string refusal(const std::string& text) {
  try {
    value_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SweepExpressionTest, HasTheUsualArithmetic) {
  EXPECT_EQ(value_of("rows*cols"), 2048);
  EXPECT_EQ(value_of("array.rows+cols*2"), 128);
  EXPECT_EQ(value_of("(rows-cols)/4"), 8);
  EXPECT_EQ(value_of("rows*cols <= 2048"), 1);
  EXPECT_EQ(value_of("rows==64 && cols!=32"), 0);
  EXPECT_EQ(value_of("rows<3 || cols>3"), 1);
  EXPECT_EQ(value_of("min(rows,cols)"), 32);
  EXPECT_TRUE(std::isinf(value_of("rows/0")));
}

TEST(SweepExpressionTest, SaysWhichNamesItUses) {
  EXPECT_THAT(Expression("cols*2+array.rows", kNames, "--link").used(), ElementsAre(0, 2));
  EXPECT_THAT(Expression("5", kNames, "--link").used(), ElementsAre());
}

TEST(SweepExpressionTest, RefusesInOneLine) {
  EXPECT_EQ(refusal("rows=64"), "--where 'rows=64': = assigns; compare with ==");
  EXPECT_THAT(refusal("row*2"),
              HasSubstr("'row' is not a number that is known here; did you mean"));
  EXPECT_THAT(refusal("rows,cols"), HasSubstr("must have one value"));
  for (const char* text : {"", "rows*", "(rows", "rows cols", "\"a\"", "rows+()"}) {
    const std::string line = refusal(text);
    EXPECT_THAT(line, HasSubstr("--where")) << text;
    EXPECT_EQ(line.find('\n'), std::string::npos) << text;
  }
  EXPECT_FALSE(refusal(std::string(100'000, '(')).empty());
  // muParser's message quotes the text; the terminal must not get what is in it.
  const std::string line = refusal("rows \x1b[31m\n\x84");
  EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; })) << line;
}

}  // namespace
}  // namespace weft::sweep
