// RowMap against one state for each row.
#include "compiler/program/row_map.h"

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <random>
#include <vector>

namespace weft {
namespace {

constexpr std::uint64_t kRows = 2000;
using Rows = std::array<int, kRows>;

/// A map and its rows, changed alike.
class Pair {
 public:
  void update(std::uint64_t begin, std::uint64_t end, int add) {
    std::uint64_t at = begin;
    map_.update(begin, end, [&](std::uint64_t first, std::uint64_t last, int& state) {
      expect_interval(at, first, last, state);
      at = last;
      state += add;
    });
    EXPECT_EQ(at, end);
    for (std::uint64_t row = begin; row < end; ++row) rows_[row] += add;
  }

  void replace(std::uint64_t begin, std::uint64_t end, int state) {
    std::uint64_t at = begin;
    map_.replace(begin, end, state,
                 [&](std::uint64_t first, std::uint64_t last, const int& before) {
                   expect_interval(at, first, last, before);
                   at = last;
                 });
    EXPECT_EQ(at, end);
    for (std::uint64_t row = begin; row < end; ++row) rows_[row] = state;
  }

  void reset_above(int most) {
    map_.reset_if([&](const int& state) { return state > most; });
    for (int& row : rows_) row = row > most ? 0 : row;
  }

  void check() const {
    std::vector<std::pair<std::uint64_t, int>> intervals;
    map_.for_each(
        [&](std::uint64_t first, const int& state) { intervals.emplace_back(first, state); });
    ASSERT_EQ(intervals.size(), map_.size());
    ASSERT_EQ(intervals.front().first, 0U);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const std::uint64_t end = i + 1 < intervals.size() ? intervals[i + 1].first : kRows;
      ASSERT_LE(intervals[i].first, end);
      for (std::uint64_t row = intervals[i].first; row < end; ++row) {
        ASSERT_EQ(rows_[row], intervals[i].second) << "row " << row;
      }
    }
  }

  std::size_t size() const { return map_.size(); }

 private:
  /// [first, last) continues at `at`, and all its rows have the state.
  void expect_interval(std::uint64_t at, std::uint64_t first, std::uint64_t last, int state) const {
    EXPECT_EQ(first, at);
    EXPECT_LT(first, last);
    for (std::uint64_t row = first; row < last; ++row) EXPECT_EQ(rows_[row], state);
  }

  RowMap<int> map_;
  Rows rows_ = {};
};

TEST(RowMapTest, HasTheStateOfEveryRow) {
  constexpr std::uint32_t kSeeds = 30;
  std::cout << "seeds 0 to " << kSeeds - 1 << '\n';
  std::size_t most = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    Pair pair;
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t begin = random() % (kRows - 1);
      // Mostly a few rows; sometimes many blocks of intervals at once.
      const std::uint64_t longest = random() % 40 == 0 ? kRows - 1 - begin : 3;
      const std::uint64_t end = begin + 1 + random() % std::max<std::uint64_t>(longest, 1);
      const std::uint64_t kind = random() % 600;
      if (kind == 0) {
        pair.reset_above(static_cast<int>(random() % 40));
      } else if (kind % 2 == 0) {
        pair.update(begin, std::min(end, kRows - 1), static_cast<int>(random() % 3));
      } else {
        pair.replace(begin, std::min(end, kRows - 1), static_cast<int>(random() % 50));
      }
      most = std::max(most, pair.size());
      if (step % 100 == 0) pair.check();
      if (::testing::Test::HasFatalFailure()) return;
    }
    pair.check();
  }
  EXPECT_GT(most, 400U);  // several blocks
}

TEST(RowMapTest, AWriteJoinsWhatStridedWritesSplit) {
  Pair pair;
  for (std::uint64_t row = 0; row + 1 < kRows; row += 2) pair.replace(row, row + 1, 1);
  EXPECT_EQ(pair.size(), kRows);
  pair.replace(1, kRows - 1, 2);
  pair.check();
  EXPECT_EQ(pair.size(), 3U);
}

}  // namespace
}  // namespace weft
