#include "runtime/sweep/space/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "runtime/sweep/enumeration.h"
#include "sim/config/config_keys.h"
#include "tests/cli/temporary_folder.h"

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

// Combinations changes only what the last step changed, with machines, links and batches between.
TEST(SweepSpaceTest, CombinationsHaveTheNumbersOfTheirPlaces) {
  Request request;
  for (const char* name : {"lenet5", "digits-cnn"}) {
    request.workloads.push_back({runtime::NetworkRequest{.model = name}, {"run", name}});
  }
  request.workloads[1].batch = 3;
  request.axes = {{"machine", {"tiny", "tpu-v2"}},
                  {"array.dtype", {"int8", "bf16"}},
                  {"array.rows", {"2", "4", "8"}},
                  {"memory.latency_cycles", {"1", "2", "3"}}};
  request.links = {{"array.cols", "rows*batch"}, {"weight_fifo.tiles", "cols/2"}};
  request.conditions = {"cols*memory.latency_cycles + tiles + memory.gb_per_s > 45"};
  const Space space(request);
  std::uint64_t allowed = 0;
  Combinations all(space);
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    ASSERT_FALSE(all.ended());
    ASSERT_EQ(all.number(), i);
    ASSERT_EQ(all.allowed(), space.point(i).has_value()) << i;
    allowed += all.allowed() ? 1U : 0U;
    all.advance();
  }
  EXPECT_TRUE(all.ended());
  EXPECT_GT(allowed, 5U);
  EXPECT_LT(allowed, space.size() - 5);
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

// 28 * 10 * 24 / 65536 is 0.1025390625; a key of three decimals keeps 0.103.
TEST(SweepSpaceTest, ALinkIsRoundedToTheDecimalsOfItsKey) {
  Request request = product();
  request.axes.push_back({"array.rows", {"10"}});
  request.axes.push_back({"array.cols", {"24"}});
  request.links = {{"power.static_w", "28*rows*cols/65536"}, {"weight_fifo.tiles", "0.7*rows"}};
  const Space space(request);
  EXPECT_FALSE(space.point(0)->impossible);
  EXPECT_EQ(space.point(0)->machine.static_milliwatts, 103U);
  EXPECT_EQ(space.point(0)->machine.weight_fifo_tiles, 7U);  // 0.7 * 10 as doubles is not exact
}

TEST(SweepSpaceTest, ALinkToHalfARowSaysAtWhichPoint) {
  Request request = product();
  request.axes.push_back({"array.rows", {"3"}});
  request.links = {{"array.cols", "rows/2"}};
  EXPECT_EQ(Space(request).point(0)->impossible.value_or(""),
            "array.cols: --link makes it 1.5 with rows = 3; must be a whole number, 1..4096");
  request.links = {{"array.cols", "rows*5000+m"}};
  EXPECT_EQ(Space(request).point(0)->impossible.value_or(""),
            "array.cols: --link makes it 15008 with rows = 3, m = 8; must be 1..4096");
}

/// The point without the link is another one, and so is that of another link.
TEST(SweepSpaceTest, APointWhoseLinkFailedIsNotThatOfTheMachineWithoutTheLink) {
  Request request = product();
  request.axes.push_back({"array.rows", {"4"}});
  std::set<std::string> identities = {Space(request).identity(*Space(request).point(0))};
  for (const char* value : {"rows/0", "rows/8", "-rows", "rows/0-rows/0"}) {
    request.links = {{"array.cols", value}};
    const Space space(request);
    const Point point = *space.point(0);
    EXPECT_TRUE(point.impossible) << value;
    identities.insert(space.identity(point));
    const std::vector<std::string> command = space.command(point);
    const auto cols = std::ranges::find(command, "--array.cols");
    ASSERT_NE(cols, command.end());
    MachineConfig machine;
    EXPECT_FALSE(find_key("array.cols")->parse(machine, cols[1])) << cols[1];
  }
  EXPECT_EQ(identities.size(), 5U);
}

TEST(SweepSpaceTest, ConditionsAreAboutTheValueThatALinkGives) {
  Request request = product();
  request.axes.push_back({"array.rows", {"3", "4"}});
  request.links = {{"array.cols", "rows/2"}};
  request.conditions = {"cols < 2"};  // 1.5 at the first point, 2 at the second
  const Space space(request);
  EXPECT_TRUE(space.point(0));
  EXPECT_FALSE(space.point(1));
}

TEST(SweepSpaceTest, AConditionWithoutAFiniteValueIsAnError) {
  Request request = product();
  request.axes.push_back({"array.rows", {"3", "4"}});
  const auto refusal = [&](const char* condition) -> std::string {
    request.conditions = {condition};
    try {
      Space(request).point(1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string advice = "; write a condition that is a finite number at every point";
  EXPECT_EQ(refusal("rows/0"), "--where 'rows/0': is inf with rows = 4" + advice);
  EXPECT_EQ(refusal("m/(rows-4)"), "--where 'm/(rows-4)': is inf with rows = 4, m = 8" + advice);
  EXPECT_EQ(refusal("log(0)"), "--where 'log(0)': is -inf" + advice);
  EXPECT_EQ(refusal("0/0"), "--where '0/0': is nan" + advice);
  EXPECT_EQ(refusal("sqrt(-rows)"), "--where 'sqrt(-rows)': is nan with rows = 4" + advice);
  EXPECT_EQ(refusal("m/(rows-4) > 1"), "");  // a comparison is 0 or 1
  // A condition that does not hold keeps those after it from being asked.
  request.conditions = {"rows != 4", "m/(rows-4)"};
  EXPECT_FALSE(Space(request).point(1));
}

/// A request for the network in this file.
Request file_request(const std::string& file) {
  Request request;
  request.workloads.push_back(
      {runtime::NetworkRequest{.model = file, .is_file = true}, {"run", file}});
  return request;
}

std::string only_identity(const Request& request) {
  const Space space(request);
  EXPECT_EQ(space.size(), 1U);
  return space.identity(*space.point(0));
}

TEST(SweepSpaceTest, AFileIsKnownByItsBytesAndNotByItsName) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("a.onnx", "bytes");
  const std::string copy = folder.write("b.onnx", "bytes");
  const std::string other = folder.write("c.onnx", "Bytes");
  EXPECT_EQ(only_identity(file_request(file)), only_identity(file_request(copy)));
  EXPECT_NE(only_identity(file_request(file)), only_identity(file_request(other)));
  Request with_shape = file_request(file);
  with_shape.workloads[0].words.insert(with_shape.workloads[0].words.end(), {"--shape", "x=1"});
  EXPECT_NE(only_identity(file_request(file)), only_identity(with_shape));
}

TEST(SweepSpaceTest, TheSameFileTwiceIsOneWorkload) {
  const test::TemporaryFolder folder;
  Request request = file_request(folder.write("a.onnx", "bytes"));
  for (const char* bytes : {"bytes", "Bytes"}) {
    const Request more = file_request(folder.write(std::string(bytes) + ".onnx", bytes));
    request.workloads.push_back(more.workloads[0]);
  }
  const Space space(request);
  ASSERT_EQ(space.size(), 2U);
  EXPECT_EQ(space.command(*space.point(0))[1], folder.file("a.onnx"));
  EXPECT_EQ(space.command(*space.point(1))[1], folder.file("Bytes.onnx"));
  EXPECT_NE(space.identity(*space.point(0)), space.identity(*space.point(1)));
}

// Databases that exist hold identities, so their form must stay.
TEST(SweepSpaceTest, TheIdentityOfABuiltInNetworkStays) {
  Request request;
  request.workloads.push_back({runtime::NetworkRequest{.model = "lenet5"}, {"run", "lenet5"}});
  const Space space(request);
  EXPECT_THAT(space.identity(*space.point(0)),
              testing::HasSubstr("; run lenet5 --batch 1; engine analytic; optimize 1; ; "
                                 "machine.name=tpu-v2 "));
}

// `weft run lenet5` has the batch 1 (docs/networks.md).
TEST(SweepSpaceTest, ABuiltInNetworkHasTheBatchThatRuns) {
  Request request;
  request.workloads.push_back({runtime::NetworkRequest{.model = "lenet5"}, {"run", "lenet5"}});
  const Space space(request);
  const Point alone = *space.point(0);
  request.axes = {{"batch", {"1", "2"}}};
  const Space batches(request);
  EXPECT_EQ(space.batch_of(alone), 1);
  EXPECT_EQ(space.identity(alone), batches.identity(*batches.point(0)));
  EXPECT_NE(space.identity(alone), batches.identity(*batches.point(1)));
}

TEST(SweepSpaceTest, NamesTheTableThatPricesAPoint) {
  Request request = product();
  request.axes.push_back({"power.node", {"none", "28nm"}});
  const Space own(request);
  EXPECT_EQ(own.energies_of(*own.point(0)), "");
  EXPECT_EQ(own.energies_of(*own.point(1)), "28nm");
  request.energy = load_energy_table("7nm");
  request.energy_name = "7nm";
  EXPECT_EQ(Space(request).energies_of(*Space(request).point(1)), "7nm");
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
  request.links = {{"m", "8"}};
  EXPECT_EQ(refused_space(request),
            "--link 'm': unknown key 'm'; weft sweep --help lists all keys");
  request.links = {{"memory.kind", "8"}};
  EXPECT_THAT(refused_space(request), HasSubstr("not a number"));
  request.links = {{"array.rows", "8"}};
  request.axes.push_back({"array.rows", {"4"}});
  EXPECT_THAT(refused_space(request), HasSubstr("values of its own"));
  request.links.clear();
  request.axes.back().values = {"0"};
  EXPECT_THAT(refused_space(request), HasSubstr("array.rows = '0'"));
}

// 4096^5 is 2^60. Every combination has a number, but nobody goes through them one by one.
TEST(SweepSpaceTest, HasUpTo2To63Combinations) {
  Request request = product();
  std::vector<std::string> many;
  for (int i = 1; i <= 4096; ++i) many.push_back(std::to_string(i));
  request.axes.push_back({"array.rows", many});
  request.axes.push_back({"array.cols", many});
  EXPECT_EQ(Space(request).size(), 4096U * 4096U);
  request.axes.push_back({"sequencer.queue_depth", many});
  request.axes.push_back({"host.latency_cycles", many});
  request.axes.push_back({"memory.latency_cycles", many});
  request.axes.push_back({"weight_fifo.tiles", {many.begin(), many.begin() + 8}});
  const Space space(request);
  EXPECT_EQ(space.size(), std::uint64_t{1} << 63U);
  EXPECT_EQ(space.number(space.places(space.size() - 1)), space.size() - 1);
  EXPECT_EQ(space.point(space.size() - 1)->machine.array_rows, 4096U);
  EXPECT_THROW(check_size(space), InputError);
  request.axes.back().values.emplace_back("9");
  EXPECT_THAT(refused_space(request), HasSubstr("more than 2^63 combinations"));
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
