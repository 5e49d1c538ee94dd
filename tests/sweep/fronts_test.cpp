#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "runtime/sweep/pareto.h"
#include "sim/config/config_keys.h"

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

std::string told(const Fronts::Front& front) {
  std::string names;
  for (const std::size_t column : Fronts::telling_columns(front)) {
    names += (names.empty() ? "" : " ") + columns()[column].name;
  }
  return names;
}

// A key that is the same all along the front still says which machine it is.
TEST(SweepFrontsTest, TellWhatVariesAmongAllPointsOfTheWork) {
  Fronts fronts({find_metric("time"), find_metric("macs")});
  for (const std::int64_t rows : {16, 32}) {
    for (const double rate : {100.0, 350.0}) {
      std::vector<Cell> row = row_with(1.0 / static_cast<double>(rows), rows, 1);
      row[column_index("machine_name")] = std::string("mine");
      row[column_index("array_rows")] = rows;
      row[column_index("memory_gb_per_s")] = rate;
      fronts.add(row);
    }
  }
  const Fronts::Front& front = fronts.fronts().front();
  ASSERT_EQ(front.entries.size(), 2U);
  EXPECT_EQ(told(front), "array_rows memory_gb_per_s");
  EXPECT_EQ(front.entries[0].equals, 1U);  // the other rate
  EXPECT_EQ(front.entries[1].equals, 1U);
}

// The name of a preset stands for its keys, unless a point has another value.
TEST(SweepFrontsTest, DoNotTellWhatTheNameOfThePresetSays) {
  Fronts fronts({find_metric("time"), find_metric("macs")});
  const auto add = [&](const char* preset, std::int64_t rows) {
    std::vector<Cell> row = row_with(1, rows, 1);
    const std::vector<Cell> keys = key_cells(load_preset(preset));
    std::ranges::copy(keys,
                      row.begin() + static_cast<std::ptrdiff_t>(column_index("machine_name")));
    if (rows > 0) row[column_index("array_rows")] = rows;
    fronts.add(row);
  };
  add("tpu-v1", 0);
  add("tpu-v2", 0);
  EXPECT_EQ(told(fronts.fronts().front()), "machine_name");
  add("tpu-v2", 77);
  EXPECT_EQ(told(fronts.fronts().front()), "machine_name array_rows");
}

TEST(SweepFrontsTest, JoulesOfTwoTablesDoNotCompete) {
  Fronts fronts({find_metric("time"), find_metric("energy")});
  for (const char* table : {"28nm", "7nm"}) {
    std::vector<Cell> row = row_with(1, 1, 1);
    row[column_index("energies")] = std::string(table);
    row[column_index("energy_j")] = table == std::string_view("7nm") ? 1.0 : 5.0;
    fronts.add(row);
  }
  ASSERT_EQ(fronts.fronts().size(), 2U);
  EXPECT_EQ(fronts.fronts()[0].work, "resnet50, batch 1, energies of 28nm");
  EXPECT_EQ(fronts.fronts()[0].entries.size(), 1U);
  EXPECT_EQ(fronts.fronts()[1].entries.size(), 1U);
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
