#include "runtime/sweep/space/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "sim/config/config_keys.h"

namespace weft::sweep {
namespace {

using testing::HasSubstr;

Request product() {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"8"}}, {"k", {"8"}}, {"n", {"8"}}, {"machine", {"tiny"}}};
  return request;
}

std::string refused_space(const Request& request) {
  try {
    const Space space(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Rows and columns of all points, in order.
std::vector<std::pair<std::uint32_t, std::uint32_t>> arrays(const Space& space) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const auto point = space.point(i);
    if (point) all.emplace_back(point->machine.array_rows, point->machine.array_cols);
  }
  return all;
}

TEST(SweepSpaceTest, TheLastKeyChangesFastest) {
  Request request = product();
  request.axes.push_back({"array.cols", {"4", "8"}});
  request.axes.push_back({"array.rows", {"1", "2", "3"}});
  const Space space(request);
  EXPECT_EQ(space.size(), 6U);
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(arrays(space), (Pairs{{1, 4}, {1, 8}, {2, 4}, {2, 8}, {3, 4}, {3, 8}}));
}

TEST(SweepSpaceTest, NumbersAndPlacesAreTheSameThing) {
  Request request = product();
  request.axes.push_back({"array.rows", {"1", "2", "3"}});
  request.axes.push_back({"weight_fifo.tiles", {"1", "2", "3", "4", "5"}});
  const Space space(request);
  std::set<std::vector<std::size_t>> seen;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const std::vector<std::size_t> places = space.places(i);
    EXPECT_EQ(space.number(places), i);
    EXPECT_TRUE(seen.insert(places).second);
  }
  EXPECT_EQ(seen.size(), 15U);
}

TEST(SweepSpaceTest, ConditionsAreThoseOfANaiveLoop) {
  Request request = product();
  request.axes.push_back({"array.rows", {"1", "2", "3", "4", "5", "6"}});
  request.axes.push_back({"array.cols", {"1", "2", "3", "4", "5", "6"}});
  request.conditions = {"rows*cols <= 12", "array.cols >= rows"};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (std::uint32_t rows = 1; rows <= 6; ++rows) {
    for (std::uint32_t cols = 1; cols <= 6; ++cols) {
      if (rows * cols <= 12 && cols >= rows) expected.emplace_back(rows, cols);
    }
  }
  EXPECT_EQ(arrays(Space(request)), expected);
}

TEST(SweepSpaceTest, LinksFollowEachOtherInAnyOrder) {
  Request request = product();
  request.axes.push_back({"array.rows", {"2", "8"}});
  request.links = {{"accumulators.rows", "array.cols*16"}, {"array.cols", "rows/2"}};
  const Space space(request);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const MachineConfig machine = space.point(i)->machine;
    EXPECT_EQ(machine.array_cols, machine.array_rows / 2);
    EXPECT_EQ(machine.accumulator_rows, machine.array_rows * 8);
  }
}

TEST(SweepSpaceTest, ALinkThatLeavesTheRangeMakesThePointImpossible) {
  Request request = product();
  request.axes.push_back({"array.rows", {"3", "4"}});
  request.links = {{"array.cols", "rows/2"}};  // 1.5 columns
  const Space space(request);
  EXPECT_THAT(space.point(0)->impossible.value_or(""), HasSubstr("array.cols"));
  EXPECT_FALSE(space.point(1)->impossible);
  request.links = {{"array.cols", "rows-5"}};
  EXPECT_THAT(Space(request).point(0)->impossible.value_or(""), HasSubstr("makes it -2"));
  request.links = {{"array.cols", "1/0"}};
  EXPECT_THAT(Space(request).point(0)->impossible.value_or(""), HasSubstr("array.cols"));
}

TEST(SweepSpaceTest, AMachineThatCannotBeIsAPoint) {
  Request request = product();
  request.axes.push_back({"array.rows", {"4096"}});
  request.axes.push_back({"unified_buffer.kib", {"1"}});
  EXPECT_THAT(Space(request).point(0)->impossible.value_or(""), HasSubstr("unified_buffer.kib"));
}

TEST(SweepSpaceTest, RefusesWhatContradictsItself) {
  Request request = product();
  request.links = {{"array.rows", "array.cols"}, {"array.cols", "array.rows"}};
  EXPECT_THAT(refused_space(request), HasSubstr("follows from itself"));
  request.links = {{"array.rows", "rows*2"}};
  EXPECT_THAT(refused_space(request), HasSubstr("follows from itself"));
  request.links = {{"array.rows", "8"}, {"array.rows", "9"}};
  EXPECT_THAT(refused_space(request), HasSubstr("given twice"));
  request.links = {{"array.row", "8"}};
  EXPECT_THAT(refused_space(request), HasSubstr("did you mean array.rows?"));
  request.links = {{"memory.kind", "8"}};
  EXPECT_THAT(refused_space(request), HasSubstr("not a number"));
  request.links = {{"array.rows", "8"}};
  request.axes.push_back({"array.rows", {"4"}});
  EXPECT_THAT(refused_space(request), HasSubstr("values of its own"));
  request.links.clear();
  request.axes.back().values = {"0"};
  EXPECT_THAT(refused_space(request), HasSubstr("array.rows = '0'"));
}

TEST(SweepSpaceTest, RefusesMoreThanABillionPoints) {
  Request request = product();
  std::vector<std::string> many;
  for (int i = 1; i <= 4096; ++i) many.push_back(std::to_string(i));
  request.axes.push_back({"array.rows", many});
  request.axes.push_back({"array.cols", many});
  EXPECT_EQ(Space(request).size(), 4096U * 4096U);
  request.axes.push_back({"weight_fifo.tiles", {many.begin(), many.begin() + 60}});
  EXPECT_THAT(refused_space(request), HasSubstr("more than 1000000000 points"));
}

/// A point's figures follow from the machine and the work, so its identity must differ if any key
/// does, and must not depend on the sweep around it.
TEST(SweepSpaceTest, TheIdentityIsThatOfThePointAlone) {
  std::set<std::string> identities;
  std::size_t keys = 0;
  for (const ConfigKey& key : config_keys()) {
    MachineConfig machine = load_preset("tiny");
    if (!key.improve(machine)) continue;
    Request request = product();
    request.axes.push_back({key.name, {key.print(machine)}});
    identities.insert(Space(request).identity(*Space(request).point(0)));
    ++keys;
  }
  EXPECT_GT(keys, 8U);
  EXPECT_EQ(identities.size(), keys);

  Request alone = product();
  alone.axes.push_back({"array.rows", {"8"}});
  Request among = product();
  among.axes.push_back({"array.rows", {"2", "8"}});
  among.conditions = {"rows > 0"};
  EXPECT_EQ(Space(alone).identity(*Space(alone).point(0)),
            Space(among).identity(*Space(among).point(1)));
}

TEST(SweepSpaceTest, TheCommandNamesEverythingThatWasSwept) {
  Request request = product();
  request.axes[0].values = {"8", "16"};
  request.axes.push_back({"array.rows", {"2", "8"}});
  request.links = {{"array.cols", "rows"}};
  const Space space(request);
  const std::vector<std::string> words = space.command(*space.point(3));
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  EXPECT_THAT(line, HasSubstr("matmul 16 8 8 --engine analytic"));
  EXPECT_THAT(line, HasSubstr("--machine tiny --array.rows 8 --array.cols 8"));
}

}  // namespace
}  // namespace weft::sweep
