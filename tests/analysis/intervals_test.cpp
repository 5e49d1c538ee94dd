// take() compared with one flag per cycle.
#include "sim/analysis/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weft {
namespace {

constexpr Cycle kCycles = 40;

class RandomIntervals {
 public:
  explicit RandomIntervals(std::uint64_t seed) : engine_(seed) {}

  int below(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }

  /// Sorted, disjoint intervals; some touch.
  std::vector<Interval> disjoint() {
    std::vector<Interval> list;
    for (Cycle at = below(6); at < kCycles;) {
      const Cycle end = std::min<Cycle>(at + 1 + below(9), kCycles);
      list.push_back({at, end});
      at = end + below(6);
    }
    return list;
  }

  /// Intervals sorted by begin. They may overlap or contain each other; some are empty.
  std::vector<Interval> any() {
    std::vector<Interval> list;
    const int longest = below(4) == 0 ? static_cast<int>(kCycles) : 12;
    for (int i = below(7); i > 0; --i) {
      const Cycle begin = below(kCycles);
      list.push_back({begin, std::min<Cycle>(begin + below(longest), kCycles)});
    }
    std::ranges::stable_sort(list, {}, &Interval::begin);
    return list;
  }

 private:
  std::mt19937_64 engine_;
};

std::vector<bool> flags(const std::vector<Interval>& list) {
  std::vector<bool> set(kCycles, false);
  for (const Interval& interval : list) {
    for (Cycle t = interval.begin; t < interval.end; ++t) set[static_cast<std::size_t>(t)] = true;
  }
  return set;
}

bool overlap(const std::vector<Interval>& list) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i].begin < list[i - 1].end) return true;
  }
  return false;
}

std::vector<Interval> taken_from(std::vector<Interval>& open, const std::vector<Interval>& covers) {
  std::vector<Interval> taken;
  take(open, covers, [&](Interval piece) { taken.push_back(piece); });
  return taken;
}

TEST(TakeTest, LeavesAndTakesWhatOneFlagACycleDoes) {
  constexpr std::uint64_t kSeed = 4711;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomIntervals random(kSeed);
  int overlapping = 0;
  int nothing_taken = 0;
  int all_taken = 0;
  int split = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Interval> open = random.disjoint();
    const std::vector<Interval> covers = random.any();
    const std::size_t gaps = open.size();
    const std::vector<bool> before = flags(open);
    const std::vector<bool> covered = flags(covers);
    std::vector<bool> left = before;
    std::vector<bool> expected(left.size());
    for (std::size_t t = 0; t < left.size(); ++t) {
      expected[t] = left[t] && covered[t];
      left[t] = left[t] && !covered[t];
    }
    const std::vector<Interval> taken = taken_from(open, covers);
    ASSERT_EQ(flags(taken), expected) << "case " << i;
    ASSERT_FALSE(overlap(taken)) << "case " << i;
    ASSERT_EQ(flags(open), left) << "case " << i;
    ASSERT_FALSE(overlap(open)) << "case " << i;
    for (const Interval& rest : open) ASSERT_LT(rest.begin, rest.end) << "case " << i;
    overlapping += overlap(covers) ? 1 : 0;
    nothing_taken += taken.empty() ? 1 : 0;
    all_taken += gaps > 0 && open.empty() ? 1 : 0;
    split += open.size() > gaps ? 1 : 0;
  }
  for (const int hits : {overlapping, nothing_taken, all_taken, split}) EXPECT_GT(hits, 20);
}

TEST(TakeTest, TakesNothingFromNothing) {
  std::vector<Interval> open;
  const std::vector<Interval> covers = {{0, 9}};
  EXPECT_TRUE(taken_from(open, covers).empty());
  EXPECT_TRUE(open.empty());
}

}  // namespace
}  // namespace weft
