// weft scalesim, --problem and --machine-out as users call them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kConfig =
    "[general]\nrun_name = small\n[architecture_presets]\nArrayHeight: 4\nArrayWidth: 4\n"
    "IfmapSramSzkB: 1\nFilterSramSzkB: 1\nOfmapSramSzkB: 1\nDataflow: ws\nBandwidth: 1\n"
    "[run_presets]\nInterfaceBandwidth: CALC\n";
constexpr const char* kTopology = "Layer, M, N, K,\nfirst, 5, 6, 7,\nsecond, 1, 4, 4,\n";

class ScaleSimCommandTest : public testing::Test {
 protected:
  Words command(const Words& more) const {
    return Words{"scalesim", "-c", config_, "-t", topology_, "-i", "gemm"} + more;
  }
  static Finished run(const Words& arguments) {
    Finished finished = run_weft(arguments);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished;
  }
  static void expect_refused(const Words& arguments, const std::string& part) {
    const Finished finished = run_weft(arguments);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in: " << finished.err;
  }

  TemporaryFolder folder_;
  std::string config_ = folder_.write("small.cfg", kConfig);
  std::string topology_ = folder_.write("small.csv", kTopology);
};

TEST_F(ScaleSimCommandTest, PrintsLayersAndTheirTotal) {
  // 2 x 2 folds of 8 + 4 + 5 - 2 cycles, 1 of 8 + 4 + 1 - 2.
  const std::string out = run(command({})).out;
  EXPECT_NE(out.find("\nfirst   5 x 7 x 6      4      60"), std::string::npos) << out;
  EXPECT_NE(out.find("\nsecond  1 x 4 x 4      1      11"), std::string::npos) << out;
  EXPECT_NE(out.find("\ncycles     71, "), std::string::npos) << out;
  EXPECT_NE(run(command({"--as-printed"})).out.find("\ncycles     69, "), std::string::npos);
}

TEST_F(ScaleSimCommandTest, SaysThatTheTopologyIsNamedInAnotherSection) {
  const std::string config =
      folder_.write("stray.cfg", "[layout]\nTopologyCsvLoc: " + topology_ + "\n" + kConfig);
  expect_refused({"scalesim", "-c", config, "-i", "gemm"},
                 "stray.cfg:2: TopologyCsvLoc in [layout]: has no effect, and --topology is "
                 "missing; move the key to [network_presets], or give -t TOPOLOGY.csv\n");
}

TEST_F(ScaleSimCommandTest, WritesSCALESimsReportsIntoANewFolder) {
  const std::string folder = folder_.file("new/deep");
  EXPECT_EQ(run(command({"-o", folder + "/", "--quiet"})).out, "");
  EXPECT_TRUE(
      folder_.read("new/deep/COMPUTE_REPORT.csv").starts_with("LayerID, Total Cycles (incl"));
  EXPECT_NE(folder_.read("new/deep/COMPUTE_REPORT.csv").find(", 60, 0, "), std::string::npos);
  EXPECT_TRUE(folder_.read("new/deep/BANDWIDTH_REPORT.csv").starts_with("LayerID, Avg IFMAP SRAM"));
}

TEST_F(ScaleSimCommandTest, TheJsonHasTheSameFigures) {
  const Json json = Json::parse(run(command({"--json", "-", "--better"})).out);
  EXPECT_EQ(json["command"], "scalesim");
  EXPECT_EQ(json["layers"][0]["cycles"], 60);
  EXPECT_EQ(json["layers"][0]["folds"], 4);
  EXPECT_EQ(json["total"]["cycles"], 71);
  EXPECT_LT(json["total"]["better_cycles"], 71);
  EXPECT_LT(json["total"]["better_run_cycles"], json["total"]["serial_run_cycles"]);
  EXPECT_EQ(json["machine"]["double_buffer"], false);
}

TEST_F(ScaleSimCommandTest, ABandwidthOfTheUserStallsTheMachine) {
  std::string text = kConfig;
  config_ = folder_.write("user.cfg", text.replace(text.find("CALC"), 4, "USER"));
  const Json json = Json::parse(run(command({"--json", "-"})).out);
  const int stalls = json["layers"][0]["stall_cycles"];
  EXPECT_GT(stalls, 0);
  EXPECT_EQ(json["layers"][0]["cycles"], 60 + stalls);
}

TEST_F(ScaleSimCommandTest, TheMachineThatItWritesGivesTheSameSpan) {
  const std::string machine = folder_.file("serial.ini");
  run(command({"--machine-out", machine}));
  const Json json = Json::parse(
      run({"matmul", "5", "7", "6", "--machine", machine, "--json", "-", "--engine", "analytic"})
          .out);
  EXPECT_EQ(json["cycles"]["array_span"], 60);
  EXPECT_EQ(folder_.read("serial.ini").find("Dataflow"), std::string::npos);
}

TEST_F(ScaleSimCommandTest, TheMachineSaysWhatOtherCommandsMakeOfIt) {
  std::string text = kConfig;
  config_ = folder_.write("os.cfg", text.replace(text.find(": ws"), 4, ": os"));
  const std::string machine = folder_.file("os.ini");
  run(command({"--machine-out", machine}));
  EXPECT_NE(folder_.read("os.ini").find("\n# It keeps weights. The cycles of Dataflow os come"),
            std::string::npos);
  run({"matmul", "5", "7", "6", "--machine", machine});
}

// docs/scalesim.md: H F (2R + C - 2) + F M with H = 2 chunks of F = 4 folds, and the law.
TEST_F(ScaleSimCommandTest, OtherCommandsMayCutTheRowsIntoChunks) {
  std::string text = kConfig;
  for (const char* side : {"Height: 4", "Width: 4"}) {
    const std::size_t at = text.find(side) + std::string_view(side).size();
    text.replace(at - 1, 1, "32");
  }
  text.replace(text.find("IfmapSramSzkB: 1"), 16, "IfmapSramSzkB: 64");
  config_ = folder_.write("b.cfg", text);
  topology_ = folder_.write("b.csv", "L,M,N,K,\nb,1600,64,64,\n");
  const std::string machine = folder_.file("b.ini");
  const Json serial = Json::parse(run(command({"--machine-out", machine, "--json", "-"})).out);
  EXPECT_EQ(serial["total"]["cycles"], 4 * (94 + 1600));
  const Json cut = Json::parse(run({"matmul", "1600", "64", "64", "--machine", machine, "--engine",
                                    "analytic", "--json", "-"})
                                   .out);
  EXPECT_EQ(cut["cycles"]["array_span"], 2 * 4 * 94 + 4 * 1600);
}

TEST_F(ScaleSimCommandTest, NamesInUnicodeStayReadable) {
  topology_ = folder_.write("Schicht_\u00FC.csv", "L,M,N,K,\n\u5C42,5,6,7,\nb,1,4,4,\n");
  const std::string out = run(command({})).out;
  EXPECT_NE(out.find("Schicht_\u00FC.csv, 2 layers"), std::string::npos) << out;
  EXPECT_NE(out.find("\n\u5C42     5 x 7 x 6"), std::string::npos) << out;
  EXPECT_NE(out.find("\nb      1 x 4 x 4"), std::string::npos) << out;
  const std::string bad = folder_.write("\u00FC.csv", "L,M,N,K,\na,\u5C42,6,7,\n");
  expect_refused({"scalesim", "-c", config_, "-t", bad, "-i", "gemm"},
                 "\u00FC.csv:2: M (column 2) = '\u5C42': must be a whole number");
}

TEST_F(ScaleSimCommandTest, RefusesWhatItCannotRun) {
  expect_refused({"scalesim", "-t", topology_}, "--config is missing");
  expect_refused({"scalesim", "-c", config_}, "--topology is missing");
  expect_refused(command({"-i", "gemm"}), "input-type");
  expect_refused({"scalesim", "-c", config_, "-t", topology_, "-i", "mnk"}, "'mnk'");
  expect_refused({"scalesim", "-c", config_, "-t", topology_}, "small.csv:2: has 4 columns");
  expect_refused({"scalesim", "-c", topology_, "-t", topology_}, "small.csv:1: ");
  expect_refused({"scalesim", "-c", config_, "-t", folder_.file(".")}, "is a folder");
  expect_refused(command({"more"}), "'more'");
  const std::string huge = folder_.write(
      "huge.csv", "Layer, M, N, K,\nx, 1099511627776, 1099511627776, 1099511627776,\n");
  expect_refused({"scalesim", "-c", config_, "-t", huge, "-i", "gemm"}, "huge.csv:2: ");
}

TEST_F(ScaleSimCommandTest, WritesNothingWhereItMayNot) {
  const std::size_t before = folder_.count();
  expect_refused(command({"-o", config_}), "is a file; name a folder");
  expect_refused(command({"-o", config_ + "/below"}), "small.cfg");
  expect_refused(command({"-o", "/proc/none"}), "/proc");
  expect_refused(command({"--json", topology_}), "named by both --topology and --json");
  expect_refused(command({"--machine-out", config_}), "named by both --config and --machine-out");
  expect_refused(command({"--machine-out", "-"}), "cannot go to stdout; name a file");
  const std::string both = folder_.file("both");
  expect_refused(command({"--machine-out", both, "--json", both}), "both");
  const std::string bad =
      folder_.write("bad.csv", "Layer, M, N, K,\nok, 1, 1, 1,\nbad, 1, x, 1,\n");
  expect_refused({"scalesim", "-c", config_, "-t", bad, "-i", "gemm", "-o", folder_.file("o")},
                 "bad.csv:3: N (column 3) = 'x'");
  EXPECT_EQ(folder_.count(), before + 1) << "something was written besides bad.csv";
}

TEST_F(ScaleSimCommandTest, AProblemFileSaysItselfWhatItIs) {
  const std::string product = folder_.write("p.yaml", "problem: {instance: {M: 5, K: 7, N: 6}}\n");
  for (const char* reader : {"matmul", "explain", "sweep"}) {
    expect_refused({reader, "--problem", product, "--csv", product},
                   "named by both --problem and --csv");
  }
  const std::string conv = folder_.write(
      "c.yaml", "problem: {instance: {C: 2, M: 3, R: 3, S: 3, P: 4, Q: 5, Wstride: 2}}\n");
  const Words machine = {"--machine", "tiny", "--json", "-"};
  for (const char* command : {"matmul", "conv", "explain"}) {
    SCOPED_TRACE(command);
    const Json json = Json::parse(run(Words{command, "--problem", product} + machine).out);
    EXPECT_EQ(json["workload"]["m"], 5);
    EXPECT_EQ(json["workload"]["k"], 7);
    EXPECT_EQ(json["workload"]["n"], 6);
    const Json other = Json::parse(run(Words{command, "--problem=" + conv} + machine).out);
    EXPECT_EQ(other["macs"]["useful"], 2 * 3 * 3 * 3 * 4 * 5);
  }
  expect_refused({"matmul", "2", "3", "4", "--problem", product}, "--problem gives all sizes");
  expect_refused({"conv", "--problem", conv, "--stride", "2"}, "--stride: --problem gives all");
  expect_refused({"conv", "--problem", folder_.file("none.yaml")}, "no such file");
  for (const char* command : {"matmul", "conv", "explain"}) {
    expect_refused({command, "--problem", product, "--filters", "3"},
                   "p.yaml is a product; --filters is for convolutions, so drop it");
    expect_refused({command, "--taps=apart", "--problem", product}, "--taps is for convolutions");
    expect_refused({command, "--problem", conv, "--a", "x.npy"},
                   "c.yaml is a convolution; --a is for products, so drop it");
  }
  expect_refused({"conv", "--problem", product, "--nonsense", "3"}, "unknown option");
}

TEST_F(ScaleSimCommandTest, EveryMachineCanBeWrittenAndReadBack) {
  const std::string file = folder_.file("point.ini");
  const std::string again = folder_.file("again.ini");
  const Words changes = {"--array.rows",  "5",      "--array.double_buffer", "off",
                         "--memory.kind", "shared", "--memory.gb_per_s",     "12.345"};
  const std::string program = folder_.file("p.weft");
  const Words commands[] = {
      {"matmul", "3", "4", "5"},
      {"matmul", "3", "4", "5", "--engine", "analytic", "--quiet"},
      {"conv", "--input", "1,2,4,4", "--filters", "2", "--kernel", "3"},
      {"run", "mlp", "--engine", "analytic"},
      {"explain", "3", "4", "5"},
      {"explain", "conv", "--input", "1,2,4,4", "--filters", "2", "--kernel", "3"},
      {"compile", "3", "4", "5", "-o", program},
      {"exec", program}};
  for (const Words& command : commands) {
    SCOPED_TRACE(command.front());
    std::filesystem::remove(file);
    run(command + Words{"--machine", "tiny"} + changes + Words{"--machine-out", file});
    run({"matmul", "1", "1", "1", "--machine", file, "--machine-out", again});
    EXPECT_EQ(folder_.read("point.ini"), folder_.read("again.ini"));
    EXPECT_NE(folder_.read("point.ini").find("rows = 5"), std::string::npos);
    EXPECT_NE(folder_.read("point.ini").find("12.345"), std::string::npos);
  }
  expect_refused({"matmul", "1", "1", "1", "--machine", file, "--machine-out", file},
                 "named by both --machine and --machine-out");
  std::filesystem::remove(file);
  expect_refused({"matmul", "0", "1", "1", "--machine-out", file}, "'0'");
  expect_refused({"run", "mlp", "--backend", "cpu", "--machine-out", file}, "--machine-out");
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace weft::test
