#include "report/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "report/progress.h"

namespace weft::report {
namespace {

TEST(TextTest, GroupsDigitsByThree) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(TextTest, ShowsThreeDigitsAndAPrefix) {
  EXPECT_EQ(si(9.22e-5, "s"), "92.2 us");
  EXPECT_EQ(si(45.9e12, "OP/s"), "45.9 TOP/s");
  EXPECT_EQ(si(123, "B"), "123 B");
  EXPECT_EQ(si(0, "s"), "0 s");
}

TEST(TextTest, CountsOneThingOrSeveral) {
  EXPECT_EQ(counted(0, "filter"), "0 filters");
  EXPECT_EQ(counted(1, "filter"), "1 filter");
  EXPECT_EQ(counted(1000, "filter"), "1,000 filters");
  EXPECT_EQ(counted(1, "tile fetch"), "1 tile fetch");
  EXPECT_EQ(counted(2, "tile fetch"), "2 tile fetches");
}

TEST(TextTest, SaysAHundredPerCentOfNothingLessThanAll) {
  EXPECT_EQ(percent(0.125), "12.5 %");
  EXPECT_EQ(percent(0.9994), "99.9 %");
  EXPECT_EQ(percent(0.99999), "99.9 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(1.2), "120.0 %");
  EXPECT_EQ(whole_percent(0), "0");
  EXPECT_EQ(whole_percent(0.994), "99");
  EXPECT_EQ(whole_percent(0.995), "99.5");
  EXPECT_EQ(whole_percent(0.99999), "99.9");
  EXPECT_EQ(whole_percent(1), "100");
}

TEST(TextTest, AlignsColumnsAndEndsLinesCleanly) {
  Table table("lr");
  table.add({"a", "1"});
  table.add({"long", "1,000"});
  table.add({"b", ""});
  EXPECT_EQ(table.text(2), "  a         1\n  long  1,000\n  b\n");
}

TEST(TextTest, AlignsByColumnsOfTheTerminalNotByBytes) {
  Table table("lr");
  table.add({"caf\u00E9", "\u00B5"});  // two bytes, one column
  table.add({"\u5C42\u4E00", "22"});   // three bytes, two columns each
  table.add({"abc", "333"});
  EXPECT_EQ(table.text(0), "caf\u00E9    \u00B5\n\u5C42\u4E00   22\nabc   333\n");
}

TEST(TextTest, PaintsOnlyWhenAsked) {
  EXPECT_EQ(Style(false).bold("x"), "x");
  EXPECT_EQ(Style(true).bold("x"), "\033[1mx\033[0m");
}

TEST(TextTest, ProgressIsABarWithWhatIsLeft) {
  EXPECT_EQ(progress_line(0, std::numeric_limits<double>::infinity(), ""),
            "weft: [....................] 0.0 %");
  EXPECT_EQ(progress_line(0.25, 74.1, ""), "weft: [#####...............] 25.0 %, 75 s left");
  EXPECT_EQ(progress_line(0.5, 300, "epoch 3 of 20"),
            "weft: epoch 3 of 20 [##########..........] 50.0 %, 5 min left");
  EXPECT_EQ(progress_line(1, 0, ""), "weft: [####################] 100.0 %, 0 s left");
  EXPECT_EQ(progress_line(0.1, 36'000, ""), "weft: [##..................] 10.0 %, 10 h left");
}

}  // namespace
}  // namespace weft::report
