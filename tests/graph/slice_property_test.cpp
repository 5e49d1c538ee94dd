// A slice must hold the elements that a walk over the dimension picks, for any start, end and step.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/error.h"
#include "compiler/graph/shapes/slice.h"

namespace weft::graph {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

// Returns the positions that NumPy's x[start:end:step] picks from range(extent): the existing ones
// on the walk from start to before end. Bounds are small here, so that the walk ends.
std::vector<std::int64_t> walk(std::int64_t extent, std::int64_t start, std::int64_t end,
                               std::int64_t step) {
  if (start < 0) start += extent;
  if (end < 0) end = std::max<std::int64_t>(end + extent, -1);
  if (start < 0) start = step > 0 ? 0 : -1;
  if (step < 0 && start >= extent) start = extent - 1;
  std::vector<std::int64_t> picked;
  for (std::int64_t at = start; step > 0 ? at < end : at > end; at += step) {
    if (at >= 0 && at < extent) picked.push_back(at);
  }
  return picked;
}

std::vector<std::int64_t> positions(const SliceDim& dim) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < dim.length; ++i) result.push_back(dim.start + i * dim.step);
  return result;
}

TEST(SlicePropertyTest, PicksWhatAWalkPicks) {
  constexpr std::uint64_t kSeed = 6;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  int forward = 0;
  int backward = 0;
  int empty = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t extent = between(0, 8);
    const std::int64_t start = between(-11, 11);
    const std::int64_t end = between(-11, 11);
    const std::int64_t step = between(-4, 4);
    if (step == 0) continue;
    const auto dims = resolve_slices({extent}, {start}, {end}, {0}, {step});
    const auto expected = walk(extent, start, end, step);
    ASSERT_EQ(positions(dims[0]), expected) << extent << ": " << start << " " << end << " " << step;
    (expected.empty() ? empty : step > 0 ? forward : backward) += 1;
  }
  EXPECT_GT(forward, 1000);
  EXPECT_GT(backward, 1000);
  EXPECT_GT(empty, 1000);
}

TEST(SliceTest, TakesTheLargestNumbersAsEnds) {
  EXPECT_EQ(resolve_slices({5}, {1}, {kMost}, {}, {}).front(), (SliceDim{1, 1, 4}));
  EXPECT_EQ(resolve_slices({5}, {kMost}, {kLeast}, {0}, {-1}).front(), (SliceDim{4, -1, 5}));
  EXPECT_EQ(resolve_slices({5}, {0}, {5}, {0}, {kMost}).front(), (SliceDim{0, kMost, 1}));
  EXPECT_EQ(resolve_slices({5}, {4}, {kLeast}, {0}, {kLeast}).front(), (SliceDim{4, kLeast, 1}));
}

TEST(SliceTest, LeavesAxesThatAreNotNamed) {
  const auto dims = resolve_slices({2, 3, 4}, {1}, {3}, {-2}, {});
  EXPECT_EQ(dims, (std::vector<SliceDim>{{0, 1, 2}, {1, 1, 2}, {0, 1, 4}}));
}

TEST(SliceTest, RefusesWhatDoesNotFitTogether) {
  EXPECT_THROW(resolve_slices({2}, {0}, {1}, {0}, {0}), InputError);
  EXPECT_THROW(resolve_slices({2}, {0}, {1, 2}, {}, {}), InputError);
  EXPECT_THROW(resolve_slices({2}, {0}, {1}, {1}, {}), InputError);
  EXPECT_THROW(resolve_slices({2, 2}, {0, 0}, {1, 1}, {0, -2}, {}), InputError);
  EXPECT_THROW(resolve_slices({2}, {0, 0}, {1, 1}, {}, {}), InputError);
}

TEST(SliceTest, ShapeRangeIsClampedIntoTheRank) {
  using Range = std::pair<std::int64_t, std::int64_t>;
  const auto range = [](std::int64_t start, std::int64_t end) {
    return shape_range({{"start", start}, {"end", end}}, 4);
  };
  EXPECT_EQ(shape_range({}, 4), Range(0, 4));
  EXPECT_EQ(range(-3, -1), Range(1, 3));
  EXPECT_EQ(range(-9, 9), Range(0, 4));
  EXPECT_EQ(range(3, 1), Range(3, 3));
}

}  // namespace
}  // namespace weft::graph
