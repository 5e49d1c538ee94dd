// `weft sweep` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/sweep/database.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const Words kThousand = {"sweep",         "digits-mlp",  "--machine",           "tiny",
                         "--optimize",    "0",           "--array.rows",        "4..13",
                         "--array.cols",  "4..13",       "--weight_fifo.tiles", "1..5",
                         "--memory.kind", "shared,split"};

/// The figures that the row's command prints when it is run alone.
void expect_reproduced(const json& point) {
  const std::string command = point["command"];
  SCOPED_TRACE(command);
  Words words = split(command);
  words.erase(words.begin());
  const Finished alone = run_weft(words + Words{"--json", "-"});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const json result = json::parse(alone.out);
  EXPECT_EQ(result["cycles"]["total"], point["cycles"]);
  for (const char* name : {"array_active", "weight_shift", "weight_stall", "input_stall",
                           "raw_stall", "fill_drain", "vector", "output", "idle"}) {
    EXPECT_EQ(result["cycles"][name], point[std::string("ledger_") + name]) << name;
  }
  EXPECT_EQ(result["bound"]["cycles"], point["bound"]);
  EXPECT_EQ(result["bound"]["by"], point["bound_by"]);
  EXPECT_EQ(result["energy"]["joules"], point["energy_j"]);
}

TEST(SweepCommandTest, EachPointIsWhatItsCommandPrintsAlone) {
  for (const Words& sweep :
       {Words{"sweep", "matmul", "5,64", "33", "16", "--machine", "tiny,tpu-v1", "--array.rows",
              "4,8"},
        Words{"sweep", "conv", "--input", "1,3,9,9", "--filters", "8", "--kernel", "3", "--machine",
              "tpu-v2", "--array.rows", "8,16", "--optimize", "0"},
        Words{"sweep", "lenet5", "digits-cnn", "--batch", "1,2", "--machine", "tiny",
              "--array.dtype", "int8,bf16", "--unified_buffer.kib", "4,8", "--optimize", "0"},
        Words{"sweep", "matmul", "5", "6", "7", "--machine", "tiny", "--engine", "fast",
              "--with-bias", "--link", " array.rows = array.cols", "--array.cols", "3,5"}}) {
    const Finished finished = run_weft(sweep + Words{"--json", "-"});
    ASSERT_EQ(finished.code, 0) << finished.err;
    const json points = json::parse(finished.out)["points"];
    EXPECT_GE(points.size(), 2U);
    for (const json& point : points) expect_reproduced(point);
  }
}

TEST(SweepCommandTest, AProblemIsOneWorkloadWhoseCommandNeedsNoFile) {
  const TemporaryFolder folder;
  const std::string product = folder.write("p.yaml", "problem: {instance: {M: 5, K: 7, N: 6}}\n");
  const std::string conv = folder.write(
      "c.yaml", "problem: {instance: {C: 2, M: 3, R: 3, S: 2, P: 4, Q: 5, Wstride: 2}}\n");
  const std::string file = folder.write("s.ini", "problem = " + product + "\nmachine = tiny\n");
  const Words rest = {"--machine", "tiny", "--array.rows", "4,8", "--json", "-"};
  const auto points = [](const Words& words) {
    const Finished finished = run_weft(Words{"sweep"} + words);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return json::parse(finished.out)["points"];
  };
  for (const Words& words : {Words{"matmul"}, Words{"conv"}, Words{}}) {
    const json products = points(words + Words{"--problem", product} + rest);
    ASSERT_EQ(products.size(), 2U);
    EXPECT_THAT(products[0]["command"], HasSubstr("weft matmul 5 7 6 "));
    EXPECT_EQ(products[0]["useful_macs"], 5 * 7 * 6);
    const json convolutions = points(words + Words{"--problem", conv, "--with-bias"} + rest);
    ASSERT_EQ(convolutions.size(), 2U);
    // 5 rows of results need 6 rows of input, 4 columns 3 * 2 + 3.
    EXPECT_THAT(convolutions[0]["command"], HasSubstr("weft conv --input 1,2,6,9 --filters 3 "));
    EXPECT_EQ(convolutions[0]["useful_macs"], 2 * 3 * 3 * 2 * 4 * 5);
    for (const json& point : convolutions) expect_reproduced(point);
  }
  EXPECT_EQ(points({file, "--json", "-"}).size(), 1U);
}

TEST(SweepCommandTest, ASweepThatIsKilledTenTimesEndsAsIfItHadNotBeen) {
  const TemporaryFolder folder;
  const std::string undisturbed = folder.file("undisturbed.db");
  ASSERT_EQ(run_weft(kThousand + Words{"--db", undisturbed}).code, 0);
  const std::string killed = folder.file("killed.db");
  Words words = kThousand + Words{"--db", killed};
  std::string program = WEFT_BINARY;
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (int i = 0; i < 10; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::freopen("/dev/null", "w", stdout);
      ::execv(program.c_str(), arguments.data());
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  const Finished last = run_weft(words);
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_THAT(last.out, HasSubstr("1,000 points:"));
  EXPECT_EQ(query(killed, "PRAGMA integrity_check").front().front(), "ok");
  EXPECT_EQ(query(killed, "SELECT count(*) FROM points").front().front(), "1000");
  EXPECT_EQ(contents(killed), contents(undisturbed));
  EXPECT_THAT(run_weft(words).out, HasSubstr("1,000 points: 0 computed, 1,000 known before"));
}

TEST(SweepCommandTest, AFileHasTheSameOptionsAndTheCommandLineComesFirst) {
  const TemporaryFolder folder;
  const std::string file = folder.write("sweep.ini",
                                        "# a comment\n"
                                        "workload = matmul 8 8,16 8\n"
                                        "machine = tiny\n"
                                        "where = rows*cols <= 16\n"
                                        "link = weight_fifo.tiles=rows\n"
                                        "[array]\n"
                                        "rows = 2,4,8\n"
                                        "cols = 4\n");
  const auto points = [&](const Words& more) {
    const Finished finished = run_weft(Words{"sweep", file, "--json", "-"} + more);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return json::parse(finished.out)["points"];
  };
  const json all = points({});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0]["k"], 8);
  EXPECT_EQ(all[3]["k"], 16);
  EXPECT_EQ(all[3]["array_rows"], 4);
  EXPECT_EQ(all[3]["weight_fifo_tiles"], 4);
  EXPECT_EQ(points({"--array.rows", "1"}).size(), 2U);
  EXPECT_EQ(points({"--where", "k > 8"}).size(), 2U);  // both conditions hold
}

TEST(SweepCommandTest, ADryRunRunsNothing) {
  const TemporaryFolder folder;
  const Finished finished = run_weft(
      kThousand + Words{"--where", "rows >= cols", "--dry-run", "--db", folder.file("a.db")});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("550 of 1,000 combinations"));
  EXPECT_THAT(finished.out, HasSubstr("a point, from a few of them"));
  EXPECT_EQ(folder.count(), 0U);
}

TEST(SweepCommandTest, ASearchGivesTheSamePointsWithAnyNumberOfProcesses) {
  const TemporaryFolder folder;
  const Words search =
      kThousand + Words{"--search", "60", "--goal", "time*macs", "--goal", "energy"};
  for (const char* jobs : {"1", "3"}) {
    const Finished finished =
        run_weft(search + Words{"--jobs", jobs, "--db", folder.file(jobs), "--csv",
                                folder.file(std::string(jobs) + ".csv")});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("Best points by the goals"));
  }
  EXPECT_EQ(contents(folder.file("1")).size(), 60U);
  EXPECT_EQ(contents(folder.file("1")), contents(folder.file("3")));
}

TEST(SweepCommandTest, RefusesInOneLineWithCodeTwo) {
  const TemporaryFolder folder;
  const std::string only_read = folder.file("read.db");
  ASSERT_EQ(run_weft({"sweep", "matmul", "8", "8", "8", "--db", only_read}).code, 0);
  ::chmod(only_read.c_str(), 0444);
  const std::string ini = folder.write("x.ini", "machine = tiny\n");
  const std::string unknown = folder.write("y.ini", "workload = lenet5\n[array]\nrow = 3\n");
  const std::string junk = folder.write("junk.onnx", "junk");
  const std::string empty = folder.write("empty.db", "");
  const std::string new_file = folder.file("new.db");
  const std::string binary = folder.write("z.ini", std::string("\0\1\2[\n=\n", 7));
  const std::string problem = folder.write("p.yaml", "instance: {M: 5, K: 7, N: 6}\n");
  struct Case {
    Words words;
    const char* says;
  };
  const Words product = {"matmul", "8", "8", "8"};
  const std::vector<Case> cases = {
      {{}, "no workload"},
      {{"matmul", "8", "8"}, "give three sizes"},
      {{"matmul", "8", "8", "0"}, "N = '0'"},
      {{"nosuch"}, "no such network"},
      {{"lenet5", "matmul", "1", "1", "1"},
       "'matmul': networks and products cannot be mixed in one sweep"},
      {{"lenet5", "conv"}, "'conv': networks and convolutions cannot be mixed in one sweep"},
      {product + Words{"lenet5"}, "'lenet5': networks and products cannot be mixed in one sweep"},
      {product + Words{"8"}, "give three sizes"},
      {{"conv", "--input", "1,3,8,8"}, "--filters is missing"},
      {product + Words{"--kernel", "3"}, "--kernel: is for conv"},
      {product + Words{"--problem", problem}, "'8': --problem gives the whole workload"},
      {{"lenet5", "--problem", problem}, "'lenet5': --problem gives the whole workload"},
      {{"--problem", problem, "--kernel", "3"}, "p.yaml is a product; --kernel is for conv"},
      {{"--problem", problem, "--batch", "2"}, "--batch: is for networks"},
      {{"--problem", "missing.yaml"}, "missing.yaml: no such file"},
      {product + Words{"--batch", "2"}, "--batch: is for networks"},
      {product + Words{"--optimize", "0"}, "--optimize: is for networks"},
      {{"lenet5", "--with-bias"}, "is for matmul and conv"},
      {{"lenet5", "--batch", "0"}, "--batch"},
      {product + Words{"--array.rows", "8..4"}, "ends before it begins"},
      {product + Words{"--array.rows", "5000"}, "must be 1..4096"},
      {product + Words{"--array.row", "5"}, "did you mean --array.rows"},
      {product + Words{"--array.rows", "8..64*1.5"}, "'40.5': must be a whole number"},
      {product + Words{"--where", "rows > 1e9", "--db", new_file}, "holds for no point"},
      {{"matmul", "1..2000000", "8", "8"}, "matmul: M: has more than 1000000 values"},
      {{junk, "--db", new_file}, "junk.onnx: is not an ONNX model"},
      {{"lenet5", junk, "--db", new_file}, "junk.onnx: is not an ONNX model"},
      {{ini, ini, "--db", new_file}, "a file has the whole sweep"},
      {{"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "9", "--db", new_file},
       "larger than the padded input"},
      {product + Words{"--search", "5", "--goal", "share"}, "more is better"},
      {product + Words{"--where", "rows > 999", "--dry-run"}, "holds for no point"},
      {product + Words{"--where", "gb_per_s > 1"}, "give memory.gb_per_s or host.gb_per_s"},
      {product + Words{"--search", "5", "--goal", "0/0", "--db", new_file}, "has no value"},
      {product + Words{"--search", "5", "--goal", "log(-time)"},
       "has no value at any of the 1 point"},
      {product +
           Words{"--search", "5", "--goal", "energy", "--power.node", "none", "--db", new_file},
       "no machine of the sweep has a power.node"},
      {{"--report", empty}, "empty.db: is empty"},
      {{"--report", only_read, "--csv", only_read}, "named by both --report and --csv"},
      {product + Words{"--where", "rows = 3"}, "compare with =="},
      {product + Words{"--where", "rws > 3"}, "not a number that is known"},
      {product + Words{"--link", "array.rows"}, "must look like"},
      {product + Words{"--link", "array.rows=array.cols", "--link", "array.cols=array.rows"},
       "break the circle"},
      {{"matmul", "1..100000", "1..100000", "1"}, "more than 1000000000 points"},
      {product + Words{"--machine-out", "x.ini"}, "command of a point"},
      {product + Words{"--jobs", "0"}, "--jobs"},
      {product + Words{"--search", "5"}, "needs a --goal"},
      {product + Words{"--goal", "time"}, "is for --search"},
      {product + Words{"--search", "5", "--goal", "tme"}, "did you mean time?"},
      {product + Words{"--front", "time"}, "must name two"},
      {product + Words{"--front", "time,time"}, "must name two different figures"},
      {product + Words{"--where", "rows/0", "--db", new_file}, "'rows/0': is inf with rows = 128"},
      {product + Words{"--front", "time,speed"}, "unknown figure"},
      {product + Words{"--energy", "3nm"}, "3nm"},
      {product + Words{"--csv", "-", "--json", "-"}, "only one can go to stdout"},
      {product + Words{"--csv", "/no/where.csv"}, "/no/where.csv"},
      {product + Words{"--db", "/no/where.db"}, "/no/where.db"},
      {product + Words{"--db", ini}, "is not a database"},
      {{"matmul", "9", "9", "9", "--db", only_read}, "may only be read"},
      {{ini}, "has no workload"},
      {{unknown}, "y.ini:3: 'array.row': unknown option; did you mean array.rows?"},
      {{binary}, "z.ini"},
      {{"missing.ini"}, "missing.ini: no such file"},
      {{"--report", "missing.db"}, "no such file"},
      {{"--report", only_read, "--array.rows", "8"}, "has no effect with --report"},
  };
  for (const auto& [words, says] : cases) {
    if (::geteuid() == 0 && std::string_view(says) == "may only be read") continue;
    const Finished finished = run_weft(Words{"sweep"} + words);
    SCOPED_TRACE(says);
    EXPECT_EQ(finished.code, 2) << finished.out;
    EXPECT_THAT(finished.err, HasSubstr(says));
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1);
    EXPECT_EQ(finished.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(new_file));
}

TEST(SweepCommandTest, WaitsForAnotherWriterAndThenSaysSo) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Words words = {"sweep", "matmul", "8", "8", "8", "--db", file};
  ASSERT_EQ(run_weft(words).code, 0);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  });
  EXPECT_EQ(run_weft({"sweep", "matmul", "9", "8", "8", "--db", file}).code, 0);
  other.join();
  sqlite3_close(database);
  EXPECT_EQ(contents(file).size(), 2U);
}

}  // namespace
}  // namespace weft::test
