// Allocation of unified-buffer rows, checked against a list with one flag per row.
#include "compiler/schedule/staying_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

#include "compiler/emit/staging_ring.h"
#include "tests/schedule/random.h"

namespace weft::compiler {
namespace {

using testing::Random;

constexpr std::uint64_t kStayingRowsCases = 500;

class Rows {
 public:
  Rows(std::uint64_t rows, std::uint64_t margin, std::uint64_t staging)
      : begin_(margin), taken_(rows - staging, false) {}

  /// Start of the first gap of `rows` rows from row `from` on; nullopt if there is none.
  std::optional<std::uint32_t> gap(std::uint64_t from, std::uint64_t rows) const {
    for (std::uint64_t base = std::max(from, begin_); base + rows <= taken_.size(); ++base) {
      const auto first = taken_.begin() + static_cast<std::ptrdiff_t>(base);
      if (std::none_of(first, first + static_cast<std::ptrdiff_t>(rows),
                       [](bool is) { return is; })) {
        return static_cast<std::uint32_t>(base);
      }
    }
    return std::nullopt;
  }
  /// Start of the last gap of `rows` rows.
  std::optional<std::uint32_t> last_gap(std::uint64_t rows) const {
    for (std::uint64_t base = taken_.size(); base-- > begin_;) {
      if (base + rows <= taken_.size() && gap(base, rows) == base) {
        return static_cast<std::uint32_t>(base);
      }
    }
    return std::nullopt;
  }
  void set(std::uint64_t base, std::uint64_t rows, bool is) {
    std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(base), rows, is);
  }

 private:
  std::uint64_t begin_;
  std::vector<bool> taken_;
};

/// Takes and releases rows at random. Counts what was taken and what did not fit.
void check_takes(Fit fit, std::uint64_t seed, std::map<std::string, int>& hits) {
  Random random(seed);
  const auto margin = static_cast<std::uint64_t>(random.between(0, 5));
  const auto staging = static_cast<std::uint64_t>(random.between(0, 10));
  StayingRows rows(margin, 60 - staging, fit);
  Rows oracle(60, margin, staging);
  std::map<std::uint32_t, std::uint64_t> held;
  std::uint64_t next = margin;
  for (int step = 0; step < 40; ++step) {
    if (!held.empty() && random.chance(40)) {
      const auto which =
          std::next(held.begin(), random.between(0, static_cast<std::int64_t>(held.size()) - 1));
      rows.release(which->first);
      oracle.set(which->first, which->second, false);
      held.erase(which);
      continue;
    }
    const auto wanted = static_cast<std::uint64_t>(random.between(1, 25));
    if (random.chance(20)) {
      const auto last = rows.take_last(wanted);
      ASSERT_EQ(last, oracle.last_gap(wanted));
      ++hits[last ? "last" : "full"];
      if (!last) continue;
      oracle.set(*last, wanted, true);
      held.emplace(*last, wanted);
      continue;
    }
    const auto base = rows.take(wanted);
    const auto later = fit == Fit::kNext ? oracle.gap(next, wanted) : std::nullopt;
    ASSERT_EQ(base, later ? later : oracle.gap(0, wanted));
    ++hits[!base ? "full" : *base < next ? "before" : *base > next ? "after" : "next"];
    if (!base) continue;
    oracle.set(*base, wanted, true);
    held.emplace(*base, wanted);
    next = *base + wanted;
  }
}

TEST(StayingRowsTest, GivesTheGapOfItsRule) {
  std::cout << "seeds 0 to " << kStayingRowsCases - 1 << '\n';
  for (const Fit fit : {Fit::kFirst, Fit::kNext}) {
    std::map<std::string, int> hits;
    for (std::uint64_t seed = 0; seed < kStayingRowsCases; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      check_takes(fit, seed, hits);
    }
    for (const char* kind : {"full", "before", "after", "next", "last"}) {
      EXPECT_GE(hits[kind], 300) << kind;
    }
  }
}

TEST(StayingRowsTest, KeepsMarginAndStagingFree) {
  StayingRows rows(7, 80, Fit::kFirst);
  EXPECT_FALSE(rows.take(74).has_value());
  EXPECT_EQ(rows.take(73), 7U);
  EXPECT_FALSE(rows.take(1).has_value());
}

TEST(StayingRowsTest, TakesExactlyTheGapThatWasReleased) {
  StayingRows rows(0, 30, Fit::kFirst);
  EXPECT_EQ(rows.take(10), 0U);
  EXPECT_EQ(rows.take(10), 10U);
  EXPECT_EQ(rows.take(10), 20U);
  rows.release(10);
  EXPECT_FALSE(rows.take(11).has_value());
  EXPECT_EQ(rows.take(10), 10U);
}

TEST(StagingRingTest, StagesRoundAndRoundWithoutOverlapWithinOneUse) {
  std::cout << "seeds 0 to " << kStayingRowsCases - 1 << '\n';
  int wrapped = 0;
  for (std::uint64_t seed = 0; seed < kStayingRowsCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    StagingRing rows({3, 70, 100});
    std::uint32_t last = 0;
    for (int use = 0; use < 20; ++use) {
      const auto total = static_cast<std::uint64_t>(random.between(0, 30));
      rows.begin_use(total);
      std::vector<bool> mine(100, false);
      for (std::uint64_t left = total; left > 0;) {
        const auto part =
            static_cast<std::uint64_t>(random.between(1, static_cast<std::int64_t>(left)));
        const std::uint32_t base = rows.stage(part);
        ASSERT_TRUE(base >= 70 && base + part <= 100) << "the rows lie outside staging";
        for (std::uint64_t row = base; row < base + part; ++row) {
          ASSERT_FALSE(mine[row]);
          mine[row] = true;
        }
        wrapped += base < last ? 1 : 0;
        last = base;
        left -= part;
      }
    }
  }
  EXPECT_GE(wrapped, 1000);
}

}  // namespace
}  // namespace weft::compiler
