// The window gives every kept entry at its position, whatever was dropped before.
#include "base/sliding_window.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace weft {
namespace {

TEST(SlidingWindowTest, KeepsTheEntriesOfADeque) {
  std::mt19937_64 engine(1);
  SlidingWindow<std::uint64_t> window;
  std::deque<std::uint64_t> kept;
  std::uint64_t dropped = 0;
  for (int step = 0; step < 20'000; ++step) {
    // Grows for a while, then shrinks, so that the window empties and erases many times.
    const bool growing = step / 700 % 2 == 0;
    if (engine() % 10 < (growing ? 7 : 3)) {
      window.push_back(engine());
      kept.push_back(window.back());
    } else if (!kept.empty()) {
      const std::uint64_t count = 1 + engine() % std::min<std::size_t>(kept.size(), 5);
      window.drop_before(dropped + count);
      kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
      dropped += count;
    }
    ASSERT_EQ(window.begin(), dropped);
    ASSERT_EQ(window.size(), kept.size());
    ASSERT_EQ(window.end(), dropped + kept.size());
    ASSERT_EQ(window.empty(), kept.empty());
    if (kept.empty()) continue;
    ASSERT_EQ(window.front(), kept.front());
    const std::uint64_t any = engine() % kept.size();
    ASSERT_EQ(window[dropped + any], kept[any]);
  }
}

TEST(SlidingWindowTest, RenumberedEntriesKeepTheirOrder) {
  SlidingWindow<int> window;
  for (int i = 0; i < 5; ++i) window.push_back(i);
  window.drop_before(2);
  window.renumber(1'000);
  EXPECT_EQ(window.end(), 1'003U);
  EXPECT_EQ(window[1'001], 3);
}

}  // namespace
}  // namespace weft
