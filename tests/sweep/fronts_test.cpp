#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "runtime/sweep/pareto.h"

namespace weft::sweep {
namespace {

std::vector<Cell> row_with(double time, std::int64_t macs, std::int64_t batch) {
  std::vector<Cell> row(columns().size());
  row[column_index("workload")] = std::string("run resnet50");
  row[column_index("batch")] = batch;
  row[column_index("time_s")] = time;
  row[column_index("peak_macs")] = macs;
  return row;
}

using Pairs = std::vector<std::pair<double, double>>;

/// The points that no other beats, by definition.
std::set<std::pair<double, double>> front_of(const Pairs& points) {
  std::set<std::pair<double, double>> front;
  for (const auto& [x, y] : points) {
    bool beaten = false;
    for (const auto& [a, b] : points) beaten = beaten || (a <= x && b <= y && (a < x || b < y));
    if (!beaten) front.emplace(x, y);
  }
  return front;
}

TEST(SweepFrontsTest, AreThoseOfTheDefinition) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Fronts fronts({find_metric("time"), find_metric("macs")});
    Pairs points[2];
    for (int i = 0; i < 200; ++i) {
      const auto time = static_cast<double>(random() % 40);
      const auto macs = static_cast<std::int64_t>(random() % 40);
      const auto batch = static_cast<std::int64_t>(random() % 2);
      fronts.add(row_with(time, macs, batch));
      points[batch].emplace_back(time, static_cast<double>(macs));
    }
    ASSERT_EQ(fronts.fronts().size(), 2U);
    for (const Fronts::Front& front : fronts.fronts()) {
      const std::size_t batch = front.work == "resnet50, batch 1" ? 1 : 0;
      std::set<std::pair<double, double>> found;
      for (const Fronts::Entry& entry : front.entries)
        found.emplace(entry.costs[0], entry.costs[1]);
      EXPECT_EQ(found.size(), front.entries.size());
      EXPECT_EQ(found, front_of(points[batch])) << front.work;
    }
  }
}

TEST(SweepFrontsTest, LeaveOutPointsWithoutTheFigure) {
  Fronts fronts({find_metric("time"), find_metric("energy")});
  fronts.add(row_with(1, 1, 1));
  std::vector<Cell> failed = row_with(1, 1, 1);
  failed[column_index("energy_j")] = 1.0;
  failed[column_index("error")] = std::string("no");
  fronts.add(failed);
  ASSERT_EQ(fronts.fronts().size(), 1U);
  EXPECT_TRUE(fronts.fronts().front().entries.empty());
}

TEST(SweepFrontsTest, MoreOfTheBoundIsBetter) {
  Fronts fronts({find_metric("time"), find_metric("share")});
  for (const double share : {0.5, 0.9, 0.7}) {
    std::vector<Cell> row = row_with(1, 1, 1);
    row[column_index("share_of_bound")] = share;
    fronts.add(row);
  }
  ASSERT_EQ(fronts.fronts().front().entries.size(), 1U);
  EXPECT_EQ(fronts.fronts().front().entries.front().row[column_index("share_of_bound")], Cell(0.9));
}

}  // namespace
}  // namespace weft::sweep
