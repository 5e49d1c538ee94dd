#include "runtime/sweep/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"

namespace weft::sweep {
namespace {

std::vector<std::string> whole_numbers(int last) {
  std::vector<std::string> values;
  for (int i = 1; i <= last; ++i) values.push_back(std::to_string(i));
  return values;
}

Space arrays(std::vector<std::string> conditions = {}) {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"8"}},
                  {"k", {"8"}},
                  {"n", {"8"}},
                  {"machine", {"tiny"}},
                  {"array.rows", whole_numbers(100)},
                  {"array.cols", whole_numbers(100)}};
  request.conditions = std::move(conditions);
  return Space(std::move(request));
}

/// Cycles with a single valley at 37 rows and 71 columns.
double valley(const Point& point) {
  const double rows = static_cast<double>(point.machine.array_rows) - 37;
  const double cols = static_cast<double>(point.machine.array_cols) - 71;
  return 10 + rows * rows + cols * cols;
}

std::vector<Cell> row_of_valley(const Point& point) {
  std::vector<Cell> row(columns().size());
  row[column_index("cycles")] = static_cast<std::int64_t>(valley(point));
  row[column_index("peak_macs")] = static_cast<std::int64_t>(point.machine.array_rows) *
                                   static_cast<std::int64_t>(point.machine.array_cols);
  return row;
}

/// All points of a search. Up to `at_once` run side by side and end in reverse order.
std::vector<std::uint64_t> points_of(Search& search, std::size_t at_once) {
  std::vector<Point> running;
  std::vector<std::uint64_t> numbers;
  while (!search.ended()) {
    while (running.size() < at_once) {
      auto point = search.next();
      if (!point) break;
      numbers.push_back(point->number);
      running.push_back(*std::move(point));
    }
    while (!running.empty()) {
      search.tell(running.back(), row_of_valley(running.back()));
      running.pop_back();
    }
  }
  return numbers;
}

TEST(SweepSearchTest, TheSameSeedGivesTheSamePointsWithAnyNumberOfWorkers) {
  const Space space = arrays();
  Search one(space, 300, {"cycles", "macs"}, 7);
  Search seven(space, 300, {"cycles", "macs"}, 7);
  Search other(space, 300, {"cycles", "macs"}, 8);
  const std::vector<std::uint64_t> points = points_of(one, 1);
  EXPECT_EQ(points, points_of(seven, 7));
  EXPECT_NE(points, points_of(other, 1));
  EXPECT_EQ(points.size(), 300U);
  EXPECT_EQ(std::set<std::uint64_t>(points.begin(), points.end()).size(), 300U);
}

// 300 of 10,000 points: at random, the best would be 10 + 2 * 28 on average or so.
TEST(SweepSearchTest, ComesCloseToTheBottomOfAValley) {
  const Space space = arrays();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Search search(space, 300, {"cycles"}, seed);
    double best = std::numeric_limits<double>::infinity();
    for (const std::uint64_t number : points_of(search, 3)) {
      best = std::min(best, valley(*space.point(number)));
    }
    EXPECT_LE(best, 15) << "seed " << seed;
  }
}

// A Latin hypercube: each of as many equal parts of an axis as there are samples has one sample.
TEST(SweepSearchTest, TheFirstPointsAreSpreadOverEachAxis) {
  const Space space = arrays();
  Search search(space, 100, {"cycles"}, 3);  // generations of 10, so the first points are 20
  std::set<std::uint32_t> rows;
  std::set<std::uint32_t> cols;
  for (int i = 0; i < 20; ++i) {
    const auto point = search.next();
    ASSERT_TRUE(point);
    rows.insert((point->machine.array_rows - 1) / 5);
    cols.insert((point->machine.array_cols - 1) / 5);
  }
  EXPECT_FALSE(search.next());  // the rows of these are not known
  EXPECT_EQ(rows.size(), 20U);
  EXPECT_EQ(cols.size(), 20U);
}

TEST(SweepSearchTest, KeepsToTheConditionsAndEndsWithTheSpace) {
  const Space space = arrays({"rows*cols == 36"});  // 36 has nine divisors
  Search search(space, 300, {"cycles"}, 1);
  std::set<std::uint64_t> points;
  for (const std::uint64_t number : points_of(search, 2)) points.insert(number);
  for (const std::uint64_t number : points) {
    const MachineConfig machine = space.point(number)->machine;
    EXPECT_EQ(machine.array_rows * machine.array_cols, 36U);
  }
  EXPECT_LE(points.size(), 9U);
  EXPECT_GE(points.size(), 1U);
}

TEST(SweepSearchTest, RefusesWhatCannotBeCompared) {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"8", "9"}}, {"k", {"8"}}, {"n", {"8"}}};
  const Space space(request);
  EXPECT_THROW(Search(space, 10, {"cycles"}, 1), InputError);
  EXPECT_THROW(Search(arrays(), 10, {"speed"}, 1), InputError);
  EXPECT_THROW(Search(arrays(), 10, {"0/0"}, 1), InputError);
  EXPECT_THROW(Search(arrays(), 10, {"time", "1/0"}, 1), InputError);
}

TEST(SweepSearchTest, RefusesEnergiesThatNoMachineHas) {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"8"}}, {"k", {"8"}}, {"n", {"8"}}, {"power.node", {"none"}}};
  const Space none(request);
  EXPECT_THROW(Search(none, 1, {"energy"}, 1), InputError);
  EXPECT_THROW(Search(none, 1, {"time", "area*time"}, 1), InputError);
  EXPECT_NO_THROW(Search(none, 1, {"time"}, 1));
  request.axes.back().values.emplace_back("7nm");
  const Space some(request);
  EXPECT_NO_THROW(Search(some, 1, {"energy"}, 1));
  request.axes.pop_back();
  request.axes.push_back({"power.node", {"none"}});
  request.energy = load_energy_table("7nm");
  const Space given(request);
  EXPECT_NO_THROW(Search(given, 1, {"energy"}, 1));
}

// There are 4096^3 combinations. A search makes only its points.
TEST(SweepSearchTest, TakesASpaceThatNobodyGoesThrough) {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"8"}}, {"k", {"8"}}, {"n", {"8"}}, {"machine", {"tiny"}}};
  for (const char* key : {"array.rows", "array.cols", "sequencer.queue_depth"}) {
    request.axes.push_back({key, whole_numbers(4096)});
  }
  const Space space(request);
  Search search(space, 100, {"cycles"}, 5);
  EXPECT_EQ(points_of(search, 3).size(), 100U);
}

}  // namespace
}  // namespace weft::sweep
