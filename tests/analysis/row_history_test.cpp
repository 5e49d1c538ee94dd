// Compares the interval map of accesses with one record per row.
#include "sim/analysis/hazards/row_history.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace weft {
namespace {

constexpr std::uint64_t kRows = 24;

// Does the work of RowHistory, row by row.
class NaiveHistory {
 public:
  std::optional<std::uint64_t> access(std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                                      const Access& access, bool write, std::size_t reader) {
    for (std::uint64_t row = begin; row < end; row += step) {
      Row& state = rows_[row];
      if (!write && !state.write.happened()) return row;
      if (clash(state.write, access, row, write)) return row;
      for (const Access& read : state.reads) {
        if (write && clash(read, access, row, write)) return row;
      }
      if (write) state = {access, {}};
      if (!write) keep_later(state.reads[reader], access, row);
    }
    return std::nullopt;
  }

 private:
  /// An instruction conflicts with itself if it writes a row that it has already touched.
  static bool clash(const Access& earlier, const Access& later, std::uint64_t row, bool write) {
    if (!earlier.happened()) return false;
    if (write && earlier.instruction == later.instruction) return true;
    return later.first(row) <= earlier.last(row);
  }

  static void keep_later(Access& kept, const Access& access, std::uint64_t row) {
    const bool same = kept.happened() && kept.instruction == access.instruction;
    if (!same || access.last(row) > kept.last(row)) kept = access;
  }

  struct Row {
    Access write;
    std::array<Access, kUnitCount> reads;
  };
  std::array<Row, kRows> rows_;
};

TEST(RowHistoryTest, FindsTheConflictsOfARecordForEachRow) {
  int conflicts = 0;
  int strided_conflicts = 0;  // conflicts with a strided read
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    RowHistory history(false);
    NaiveHistory naive;
    Cycle now = 0;
    std::uint32_t instruction = 0;
    std::size_t reader = 0;
    std::set<std::uint64_t> strided;  // instructions with a strided read
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::uint64_t begin = below(kRows);
      const std::uint64_t end = begin + 1 + below(kRows - begin);
      const std::uint64_t step = below(2) == 0 ? 1 : 1 + below(5);
      const bool again = i > 2 && below(2) == 0;  // one more access of the same instruction
      instruction += again ? 0 : 1;
      now += again ? static_cast<Cycle>(below(4)) - 2 : static_cast<Cycle>(below(16));
      const bool write = i < 2 || below(again ? 8 : 3) == 0;
      const bool is_strided = !write && step > 1;
      if (is_strided) strided.insert(instruction);
      const auto group = static_cast<std::uint32_t>(is_strided ? step : below(4));
      const Access access{instruction, group, begin, now, 1 + static_cast<Cycle>(below(5))};
      if (!again) reader = static_cast<std::size_t>(below(kUnitCount));
      const auto expected = naive.access(begin, end, is_strided ? step : 1, access, write, reader);
      const auto found = write ? history.write(begin, end, access)
                               : history.read(begin, end, access, static_cast<Unit>(reader),
                                              RowClass::of(begin, is_strided ? step : 1));
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (!found) continue;
      ASSERT_EQ(found->row, *expected) << "not the lowest row";
      ++conflicts;
      if (is_strided || (!found->earlier_writes && strided.contains(found->earlier.instruction))) {
        ++strided_conflicts;
      }
      break;  // a run ends at its first hazard
    }
  }
  EXPECT_GT(conflicts, 2000);
  EXPECT_GT(strided_conflicts, 500);
}

TEST(RowHistoryTest, FindsTheFirstRowThatNothingWrote) {
  RowHistory history(false);
  EXPECT_EQ(history.first_unwritten(3, 5), 3U);
  history.write(2, 6, {0, 0, 0, 0, 1});
  EXPECT_EQ(history.first_unwritten(3, 6), std::nullopt);
  EXPECT_EQ(history.first_unwritten(3, 7), 6U);
  EXPECT_EQ(history.first_unwritten(1, 4), 1U);
}

TEST(RowHistoryTest, InitializedMemoryMayBeReadFirst) {
  RowHistory host(true);
  EXPECT_FALSE(host.read(0, 10, {0, 0, 0, 0, 1}, Unit::kLoad));
}

TEST(RowHistoryTest, ForgetsRowsOnlyAfterTheirLastAccess) {
  const Access write{1, 0, 0, 10, 5};  // a block: cycles 10 .. 14
  const Access read{2, 0, 0, 14, 1};
  RowHistory kept(true);
  ASSERT_FALSE(kept.write(0, 8, write));
  kept.forget_before(13);
  EXPECT_TRUE(kept.read(3, 4, read, Unit::kLoad));
  RowHistory forgotten(true);
  ASSERT_FALSE(forgotten.write(0, 8, write));
  forgotten.forget_before(14);
  EXPECT_FALSE(forgotten.read(3, 4, read, Unit::kLoad));
}

// Row 0 is written in cycle 10, row 7 in cycle 17.
TEST(RowHistoryTest, ForgetsARangeWhenItsLastRowIsOver) {
  RowHistory history(true);
  ASSERT_FALSE(history.write(0, 8, {1, 1, 0, 10, 1}));
  history.forget_before(16);
  EXPECT_TRUE(history.read(7, 8, {2, 0, 0, 17, 1}, Unit::kLoad));
}

TEST(RowHistoryTest, ForgetsSometimesAsItGrows) {
  RowHistory history(true);
  // Without forgetting, this would take a gigabyte.
  for (std::uint64_t row = 0; row < 4'000'000; ++row) {
    const auto cycle = static_cast<Cycle>(row);
    ASSERT_FALSE(history.write(2 * row, 2 * row + 1, {row, 0, 0, cycle, 1}));
    history.forget_sometimes(cycle - 100);
  }
  EXPECT_TRUE(
      history.read(2 * 3'999'999, 2 * 3'999'999 + 1, {4'000'000, 0, 0, 3'999'999, 1}, Unit::kLoad));
}

}  // namespace
}  // namespace weft
