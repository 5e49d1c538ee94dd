// Which points a sweep runs, which of them are the same, and what it says about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/network/files.h"
#include "tests/cli/sweep/database.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// A machine's file has its clock in [machine].
TEST(SweepPointsTest, AFileHasTheClockWhereMachinesHaveIt) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.ini", "workload = matmul 8 8 8\n[machine]\nclock_mhz = 500,700\n");
  const json points = json::parse(run_weft({"sweep", file, "--json", "-"}).out)["points"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1]["clock_mhz"], 700);
  const std::string twice = folder.write(
      "b.ini", "workload = matmul 8 8 8\nclock_mhz = 9\n[machine]\nclock_mhz = 500,700\n");
  EXPECT_THAT(run_weft({"sweep", twice}).err,
              HasSubstr("b.ini:4: 'machine.clock_mhz': given more than once"));
}

TEST(SweepPointsTest, AFileSwitchesAnOptionWithoutAValueOnOrOff) {
  const TemporaryFolder folder;
  const std::string begin = "workload = matmul 8 8 8\nmachine = tiny\n";
  const auto command = [&](const std::string& lines) {
    const std::string file = folder.write("a.ini", begin + lines);
    const json points = json::parse(run_weft({"sweep", file, "--json", "-"}).out)["points"];
    return points.at(0)["command"].get<std::string>();
  };
  EXPECT_THAT(command("with-bias = on\n"), HasSubstr(" --with-bias "));
  EXPECT_THAT(command("with-bias = off\nquiet = off\ndry-run = off\n"),
              Not(HasSubstr("--with-bias")));
  const auto refused = [&](const std::string& line) {
    const Finished finished = run_weft({"sweep", folder.write("b.ini", begin + line)});
    EXPECT_EQ(finished.code, 2);
    return finished.err;
  };
  EXPECT_THAT(refused("quiet = no\n"), HasSubstr("b.ini:3: 'quiet' = 'no': must be on or off"));
  EXPECT_THAT(refused("report = a.db\n"), HasSubstr("b.ini:3: 'report': has no place in a file"));
  EXPECT_THAT(refused("= on\n"), HasSubstr("b.ini:3: '': unknown option"));
  EXPECT_THAT(refused("q = on\n"), HasSubstr("b.ini:3: 'q': unknown option"));
}

// Joules of two tables say nothing about each other, but cycles do.
TEST(SweepPointsTest, OnlyPricedFiguresDivideTheFrontByTheirTables) {
  const Words space = {"sweep", "matmul", "8", "8", "8", "--machine", "tiny,tpu-v1", "--front"};
  EXPECT_THAT(run_weft(space + Words{"time,energy"}).out, HasSubstr("energies of 45nm: Pareto"));
  const std::string both = run_weft(space + Words{"time,bandwidth"}).out;
  EXPECT_THAT(both, HasSubstr("matmul 8 8 8: Pareto front of time and bandwidth"));
  EXPECT_THAT(both, HasSubstr("machine_name"));
}

TEST(SweepPointsTest, ADryRunCountsThePointsThatWouldRun) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Words space = {"sweep", "matmul", "8", "8", "8", "--machine", "tiny", "--array.rows"};
  ASSERT_EQ(run_weft(space + Words{"1..16", "--db", file}).code, 0);
  const auto line = [&](const Words& more) {
    const Finished finished = run_weft(space + more + Words{"--dry-run"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished.out.substr(0, finished.out.find('\n'));
  };
  EXPECT_EQ(line({"9..40", "--db", file}), "32 of 32 combinations, 8 of them known before");
  EXPECT_EQ(line({"9..40", "--search", "10", "--goal", "time"}),
            "10 points of 32 combinations, as a search chooses them");
  EXPECT_EQ(line({"9..40", "--search", "10", "--goal", "time", "--where", "rows < 12"}),
            "3 points of 3 of 32 combinations, as a search chooses them");
  EXPECT_EQ(contents(file).size(), 16U);
}

TEST(SweepPointsTest, ADryRunSaysWhichTriedPointsFail) {
  const Words space = {"sweep", "matmul", "8", "8", "8", "--machine", "tiny", "--dry-run"};
  const auto out = [&](const Words& more) { return run_weft(space + more).out; };
  EXPECT_THAT(out({"--array.rows", "4,8"}), Not(HasSubstr("failed")));
  const Words link = {"--array.rows", "4,8", "--link", "power.static_w=(rows-4)*1e6"};
  EXPECT_THAT(out(link), HasSubstr("1 of 2 points tried failed: "));
  EXPECT_THAT(out(link), HasSubstr("power.static_w"));
}

TEST(SweepPointsTest, AFileWithAZeroByteIsNoTextFile) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.ini", std::string("workload = ") + '\0' + "a.onnx\nmachine = tiny\n");
  const Finished finished = run_weft({"sweep", file});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("a.ini: has a zero byte, so it is no text file"));
}

// Of 4096 x 4096 combinations, 4096 have as many rows as columns. The sample has about 244 of them,
// so ten of its standard deviations are about 4096 * 10 / sqrt(244), or 2600.
TEST(SweepPointsTest, ADryRunOfALargeSpaceCountsASample) {
  const Finished finished =
      run_weft({"sweep", "matmul", "8", "8", "8", "--machine", "tiny", "--array.rows", "1..4096",
                "--array.cols", "1..4096", "--where", "rows == cols", "--dry-run"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  ASSERT_TRUE(finished.out.starts_with("about ")) << finished.out;
  std::string number = finished.out.substr(6, finished.out.find(" of ") - 6);
  std::erase(number, ',');
  EXPECT_NEAR(std::stod(number), 4096, 2600);
  EXPECT_THAT(finished.out, HasSubstr("of 16,777,216 combinations"));
}

// The machine without the link is another one; once its point was the failed one's.
TEST(SweepPointsTest, APointWhoseLinkFailedStandsForNoOther) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Words product = {"sweep", "matmul", "8", "8", "8", "--machine", "tiny", "--db", file};
  const Finished failed =
      run_weft(product + Words{"--array.rows", "4,8", "--link", "power.static_w=rows*1e6"});
  EXPECT_EQ(failed.code, 0) << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("2 points failed"));
  EXPECT_THAT(failed.out, HasSubstr("every point failed"));
  for (const Words& row : query(file, "SELECT power_static_w, command FROM points")) {
    EXPECT_EQ(row[0], "NULL");
    Words words = split(row[1]);
    words.erase(words.begin());
    const Finished alone = run_weft(words);
    EXPECT_EQ(alone.code, 2);
    EXPECT_THAT(alone.err, HasSubstr("power.static_w"));
  }
  EXPECT_THAT(run_weft(product + Words{"--array.rows", "4,8"}).out,
              HasSubstr("2 points: 2 computed"));
}

TEST(SweepPointsTest, EqualWorkIsOnePoint) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Words network = {"--machine", "tiny", "--optimize", "0", "--db", file};
  EXPECT_THAT(run_weft(Words{"sweep", "lenet5", "lenet5"} + network).out, HasSubstr("1 point: 1"));
  EXPECT_THAT(run_weft(Words{"sweep", "lenet5", "--batch", "1"} + network).out,
              HasSubstr("1 point: 0 computed, 1 known before"));
  EXPECT_EQ(query(file, "SELECT batch, energies FROM points"), (std::vector<Words>{{"1", "45nm"}}));
}

// docs/sweep.md: two paths to a file, or to a copy of it, lead to the same points.
TEST(SweepPointsTest, AFileHasTheSamePointsWhateverItsPathIs) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const std::string model = write_onnx_file(folder, "net.onnx", small_product());
  std::filesystem::create_directory(folder.file("m2"));
  const std::string copy = write_onnx_file(folder, "m2/net.onnx", small_product());
  const Words rest = {"--machine", "tpu-v2", "--optimize", "0", "--db", file, "--array.rows"};
  EXPECT_THAT(run_weft(Words{"sweep", model, copy} + rest + Words{"4"}).out,
              HasSubstr("1 point: 1 computed"));
  const Words again = Words{"sweep", copy} + rest + Words{"4,8"};
  EXPECT_THAT(run_weft(again + Words{"--dry-run"}).out, HasSubstr("1 of them known before"));
  const Finished finished = run_weft(again + Words{"--json", folder.file("a.json")});
  EXPECT_THAT(finished.out, HasSubstr("2 points: 1 computed"));
  // Both points are named as this sweep names them, and so have one front.
  EXPECT_THAT(finished.out, Not(HasSubstr(model)));
  const json points = json::parse(folder.read("a.json"))["points"];
  ASSERT_EQ(points.size(), 2U);
  for (const json& point : points) {
    EXPECT_EQ(point["workload"], "run " + copy);
    EXPECT_THAT(point["command"], HasSubstr("weft run " + copy + ' '));
  }
  EXPECT_EQ(query(file, "SELECT workload FROM points ORDER BY id"),
            (std::vector<Words>{{"run " + model}, {"run " + copy}}));
}

TEST(SweepPointsTest, ReportWritesThePointsOfADatabase) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Finished sweep = run_weft({"sweep", "matmul", "8", "8", "8", "--array.rows", "4,8",
                                   "--jobs", "1", "--db", file, "--csv", "-"});
  ASSERT_EQ(sweep.code, 0) << sweep.err;
  const Finished csv = run_weft({"sweep", "--report", file, "--csv", "-"});
  EXPECT_EQ(csv.out, sweep.out);
  const Finished both = run_weft({"sweep", "--report", file, "--json", folder.file("a.json")});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("a.db: 2 points"));
  EXPECT_EQ(json::parse(folder.read("a.json"))["points"].size(), 2U);
}

TEST(SweepPointsTest, SaysWhyThereAreNoEnergies) {
  const Finished finished = run_weft({"sweep", "matmul", "8", "8", "8", "--power.node", "none"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("no power.node; name a table with --energy"));
}

}  // namespace
}  // namespace weft::test
