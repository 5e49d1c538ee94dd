// Runs, rows and extremes must agree with the four nested loops that define them.
#include "sim/isa/row_generator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace weft {
namespace {

using Rows = std::vector<std::optional<std::int64_t>>;

bool is_inside(const RowBound& bound, std::uint32_t index) {
  const std::int64_t coordinate = std::int64_t{bound.origin} + std::int64_t{index} * bound.step;
  return bound.limit == 0 || (coordinate >= 0 && coordinate < std::int64_t{bound.limit});
}

/// Returns the rows by definition.
Rows naive_rows(const RowGenerator& g, std::uint32_t rows) {
  Rows result;
  for (std::uint32_t i3 = 0; i3 < g.loops[3].count; ++i3)
    for (std::uint32_t i2 = 0; i2 < g.loops[2].count; ++i2)
      for (std::uint32_t i1 = 0; i1 < g.loops[1].count; ++i1)
        for (std::uint32_t i0 = 0; i0 < g.loops[0].count; ++i0) {
          if (result.size() == rows) return result;
          const std::int64_t row =
              g.base + std::int64_t{i0} * g.loops[0].stride + std::int64_t{i1} * g.loops[1].stride +
              std::int64_t{i2} * g.loops[2].stride + std::int64_t{i3} * g.loops[3].stride;
          const bool inside = is_inside(g.bounds[0], i0) && is_inside(g.bounds[1], i1);
          result.push_back(inside ? std::optional(row) : std::nullopt);
        }
  return result;
}

Rows rows_of_runs(const RowGenerator& generator, std::uint32_t rows) {
  Rows result(rows);
  std::int64_t before = -1;
  for_each_run(generator, rows, [&](const RowRun& run) {
    EXPECT_GT(run.count, 0U);
    EXPECT_GT(std::int64_t{run.first_index}, before) << "runs out of order";
    before = std::int64_t{run.first_index} + run.count - 1;
    ASSERT_LT(before, rows);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      result[run.first_index + i] = run.first_row + i * run.row_step;
    }
  });
  return result;
}

Rows rows_of_visitor(const RowGenerator& generator, std::uint32_t rows) {
  Rows result;
  for_each_row(generator, rows, [&](std::uint32_t index, std::optional<std::int64_t> row) {
    EXPECT_EQ(index, result.size());
    result.push_back(row);
  });
  return result;
}

int count_runs(const RowGenerator& generator, std::uint32_t rows) {
  int runs = 0;
  for_each_run(generator, rows, [&](const RowRun&) { ++runs; });
  return runs;
}

class RandomGenerators {
 public:
  explicit RandomGenerators(unsigned seed) : random_(seed) {}

  RowGenerator next() {
    RowGenerator generator;
    generator.base = 1000 + below(100);
    std::int32_t continued = 1;
    for (RowLoop& loop : generator.loops) {
      loop.count = 1 + below(5);
      loop.stride = chance(2) ? continued : static_cast<std::int32_t>(below(41)) - 20;
      continued = loop.stride * static_cast<std::int32_t>(loop.count);
    }
    for (RowBound& bound : generator.bounds) {
      if (chance(2)) continue;
      bound.origin = static_cast<std::int32_t>(below(9)) - 4;
      bound.step = static_cast<std::int32_t>(below(7)) - 3;
      bound.limit = below(7);
    }
    return generator;
  }

  std::uint32_t rows(const RowGenerator& generator) {
    const auto length = static_cast<std::uint32_t>(walk_length(generator));
    return chance(3) ? length : 1 + below(length);
  }

  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  std::mt19937 random_;
};

void count_classes(const RowGenerator& generator, const Rows& rows,
                   std::map<std::string, int>& hits) {
  const auto is_padding = [](const auto& row) { return !row.has_value(); };
  const auto padding = std::ranges::count_if(rows, is_padding);
  hits["no padding"] += padding == 0 ? 1 : 0;
  hits["all padding"] += padding == static_cast<std::int64_t>(rows.size()) ? 1 : 0;
  hits["some padding"] += padding > 0 && padding < static_cast<std::int64_t>(rows.size()) ? 1 : 0;
  hits["cut short"] += rows.size() < walk_length(generator) ? 1 : 0;
  hits["whole walk"] += rows.size() == walk_length(generator) ? 1 : 0;
  hits["step 0"] += generator.bounds[0].limit > 0 && generator.bounds[0].step == 0 ? 1 : 0;
  hits["step back"] += generator.bounds[1].limit > 0 && generator.bounds[1].step < 0 ? 1 : 0;
}

TEST(RowGeneratorTest, AgreesWithTheNestedLoops) {
  constexpr unsigned kSeed = 97;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomGenerators random(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const RowGenerator generator = random.next();
    const std::uint32_t rows = random.rows(generator);
    const Rows expected = naive_rows(generator, rows);
    ASSERT_EQ(rows_of_runs(generator, rows), expected);
    ASSERT_EQ(rows_of_visitor(generator, rows), expected);
    count_classes(generator, expected, hits);
  }
  for (const auto& [name, count] : hits) EXPECT_GT(count, 300) << name;
}

TEST(RowGeneratorTest, ExtremesAreThoseOfTheRowsInBounds) {
  constexpr unsigned kSeed = 98;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomGenerators random(kSeed);
  int all_padding = 0;
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const RowGenerator generator = random.next();
    const std::uint32_t rows = random.rows(generator);
    std::optional<RowExtremes> expected;
    for (const auto& row : naive_rows(generator, rows)) {
      if (!row) continue;
      if (!expected) expected = {*row, *row};
      expected = {std::min(expected->lowest, *row), std::max(expected->highest, *row)};
    }
    const auto actual = row_extremes(generator, rows);
    ASSERT_EQ(actual.has_value(), expected.has_value());
    all_padding += expected ? 0 : 1;
    if (!expected) continue;
    ASSERT_EQ(actual->lowest, expected->lowest);
    ASSERT_EQ(actual->highest, expected->highest);
  }
  EXPECT_GT(all_padding, 300);
}

TEST(RowGeneratorTest, AContiguousWalkIsOneRunHoweverItIsWritten) {
  constexpr std::uint32_t kMany = 4'000'000'000;
  EXPECT_EQ(count_runs(contiguous_rows(7, kMany), kMany), 1);
  RowGenerator nested;
  nested.loops = {RowLoop{1, 99}, RowLoop{1000, 1}, RowLoop{1000, 1000}, RowLoop{4000, 1'000'000}};
  EXPECT_EQ(count_runs(nested, kMany), 1);
  EXPECT_EQ(count_runs(nested, kMany - 1), 1);
}

TEST(RowGeneratorTest, AStridedLoopIsOneRunAPass) {
  RowGenerator image;  // 5 of every 8 rows, 3 times
  image.loops = {RowLoop{5, 1}, RowLoop{3, 8}, RowLoop{}, RowLoop{}};
  std::vector<RowRun> runs;
  for_each_run(image, 12, [&](const RowRun& run) { runs.push_back(run); });
  const std::vector<RowRun> expected = {{0, 5, 0, 1}, {5, 5, 8, 1}, {10, 2, 16, 1}};
  EXPECT_EQ(runs, expected);
}

TEST(RowGeneratorTest, ABorderIsPadding) {
  // One row of a 3x3 convolution's shifted view of a 4x2 image: x-1 and y-1 for the top left tap.
  RowGenerator shifted;
  shifted.base = 100;
  shifted.loops = {RowLoop{4, 1}, RowLoop{2, 4}, RowLoop{}, RowLoop{}};
  shifted.bounds = {RowBound{-1, 1, 4}, RowBound{-1, 1, 2}};
  const Rows expected = {{}, {}, {}, {}, {}, 105, 106, 107};
  EXPECT_EQ(rows_of_visitor(shifted, 8), expected);
}

TEST(RowGeneratorTest, TheWidestWalksDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  constexpr auto kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr auto kHighest = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t stride : {kLowest, kHighest}) {
    RowGenerator generator;
    generator.base = kMost;
    generator.loops.fill({kMost, stride});
    generator.bounds.fill({kHighest, kLowest, kMost});
    EXPECT_EQ(walk_length(generator), std::uint64_t{1} << 32U);
    EXPECT_TRUE(row_extremes(generator, kMost).has_value());
    generator.bounds.fill({});
    const auto extremes = row_extremes(generator, kMost);
    ASSERT_TRUE(extremes.has_value());
    const std::int64_t far = std::int64_t{kMost} + std::int64_t{kMost - 1} * stride;
    EXPECT_EQ(stride < 0 ? extremes->lowest : extremes->highest, far);
    EXPECT_EQ(count_runs(generator, kMost), 1);
  }
}

TEST(RowGeneratorTest, ALoopOfNoStepsReadsNothing) {
  RowGenerator generator = contiguous_rows(0, 4);
  generator.loops[2].count = 0;
  EXPECT_EQ(walk_length(generator), 0U);
  EXPECT_EQ(count_runs(generator, 4), 0);
  EXPECT_FALSE(row_extremes(generator, 4).has_value());
}

}  // namespace
}  // namespace weft
