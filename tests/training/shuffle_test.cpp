#include "models/training/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace weft::training {
namespace {

TEST(ShuffleTest, HasEveryNumberOnce) {
  for (const std::uint32_t count : {1U, 2U, 3U, 10U, 1438U}) {
    std::vector<std::uint32_t> order = epoch_order(count, 7, 3);
    std::ranges::sort(order);
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(order, all);
  }
}

TEST(ShuffleTest, DependsOnSeedAndEpochAlone) {
  EXPECT_EQ(epoch_order(100, 1, 5), epoch_order(100, 1, 5));
  EXPECT_NE(epoch_order(100, 1, 5), epoch_order(100, 1, 6));
  EXPECT_NE(epoch_order(100, 1, 5), epoch_order(100, 2, 5));
}

TEST(ShuffleTest, TakesEachOrderAboutAsOften) {
  // 6000 draws of 6 orders give 1000 each, with a standard deviation of 29.
  std::array<int, 27> counts = {};
  for (std::uint64_t epoch = 0; epoch < 6000; ++epoch) {
    const auto order = epoch_order(3, 11, epoch);
    ++counts.at(order[0] * 9 + order[1] * 3 + order[2]);
  }
  EXPECT_EQ(std::ranges::count_if(counts, [](int n) { return n > 0; }), 6);
  for (const int count : counts) EXPECT_TRUE(count == 0 || (count > 850 && count < 1150)) << count;
}

}  // namespace
}  // namespace weft::training
