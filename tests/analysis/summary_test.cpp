// Figures of a small run with a timeline written by hand.
#include "sim/analysis/summary.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

Matmul matmul(std::uint32_t rows) {
  Matmul matmul;
  matmul.ub.loops[0] = {rows, 1};
  matmul.rows = rows;
  return matmul;
}

// R = 4, C = 3, int8: rows of 4 bytes, tiles of 12 bytes, results of 3 words in 3 rows.
//
//   cycle   0    5    7    11 12 .. 16   17 .. 22        23 24   25 26
//           load fetch  push  |  5 rows  | fill_drain    vector  | store
class SummaryTest : public ::testing::Test {
 protected:
  SummaryTest() {
    config_.array_rows = 4;
    config_.array_cols = 3;
    add(Load{0, 0, 5}, 0, 4);
    add(Fetch{0}, 5, 6);
    add(matmul(5), 12, 22);  // the last row reaches the accumulators 6 cycles after its start
    add(Vector{.acc = 0, .ub = 10, .rows = 2}, 23, 24);
    add(Store{10, 50, 6}, 25, 26);
    program_.code[2].after[Unit::kLoad] = 1;
    timeline_.pushes = {7};
  }

  void add(const Operation& operation, Cycle started, Cycle retired) {
    program_.code.push_back({operation, {}});
    timeline_.instructions.push_back({0, started, retired});
  }

  Result result() const { return summarize(config_, program_, timeline_); }

  MachineConfig config_;
  Program program_;
  Timeline timeline_;
};

TEST_F(SummaryTest, TotalIsTheCycleAfterTheLastRetirement) {
  EXPECT_EQ(result().total, 27);
  timeline_.instructions[0].retired = 90;  // not the last instruction of the program
  EXPECT_EQ(total_cycles(timeline_), 91);
  EXPECT_EQ(total_cycles(Timeline{}), 0);
}

TEST_F(SummaryTest, TrafficCountsWholeRowsAndTiles) {
  EXPECT_EQ(result().traffic, (Traffic{12, 20, 24}));
}

TEST_F(SummaryTest, MacsAreRowsTimesTheWholeArray) {
  EXPECT_EQ(result().issued_macs, 5U * 4 * 3);
}

TEST_F(SummaryTest, ArraySpanEndsWhenTheLastPeIsDone) {
  // Row 4 enters in cycle 16 and reaches PE(3,2) 3 + 2 cycles later; the span includes that cycle.
  EXPECT_EQ(result().array_span, 16 + 5 + 1 - 7);
}

TEST_F(SummaryTest, LedgerGivesEachCycleToItsFirstRule) {
  CycleLedger expected;
  expected.array_active = 5;  // 12..16
  expected.weight_shift = 4;  // 7..10
  expected.weight_stall = 7;  // 0..6: this rule comes before the load's wait, which ends earlier
  expected.fill_drain = 6;    // 17..22
  expected.vector = 2;        // 23, 24
  expected.output = 2;        // 25, 26
  expected.idle = 1;          // 11
  EXPECT_EQ(result().ledger, expected);
  EXPECT_EQ(result().ledger.sum(), 27);
}

TEST_F(SummaryTest, LoadsThatArriveAfterTheTileAreInputStalls) {
  timeline_.instructions[0].retired = 11;
  const CycleLedger ledger = result().ledger;
  EXPECT_EQ(ledger.weight_stall, 7);
  EXPECT_EQ(ledger.input_stall, 1);  // 11
  EXPECT_EQ(ledger.idle, 0);
}

TEST_F(SummaryTest, AnEmptyProgramHasNoFigures) {
  const Result nothing = summarize(config_, Program{}, Timeline{});
  EXPECT_EQ(nothing.total, 0);
  EXPECT_EQ(nothing.array_span, 0);
  EXPECT_EQ(nothing.issued_macs, 0U);
  EXPECT_EQ(nothing.traffic, Traffic{});
}

}  // namespace
}  // namespace weft
