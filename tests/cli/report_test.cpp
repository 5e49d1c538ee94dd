// Checks the command's JSON against its documented form, its exit codes, its help and its text.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;

json report_of(Words arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Finished finished = run_weft(arguments);
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  return json::parse(finished.out);  // throws if stdout holds anything else
}

Words product(const std::string& m, const std::string& k, const std::string& n,
              const std::string& machine, const std::string& engine) {
  return {"matmul", m, k, n, "--machine", machine, "--engine", engine};
}

Words keys_of(const nlohmann::ordered_json& object) {
  Words keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

const Words kPathKeys = {"total",    "array",          "weight_shift", "drain",
                         "vector",   "vector_latency", "memory",       "memory_latency",
                         "host",     "host_latency",   "buffer_read",  "patch_write",
                         "dispatch", "queue_full"};

TEST(JsonTest, HasTheDocumentedKeysInOrder) {
  Words words = product("5", "6", "3", "tiny", "fast");
  words.insert(words.end(), {"--json", "-"});
  const auto report = nlohmann::ordered_json::parse(run_weft(words).out);
  EXPECT_EQ(keys_of(report), (Words{"schema", "command", "engine", "machine", "workload", "plan",
                                    "cycles", "critical_path", "bound", "macs", "utilization",
                                    "seconds", "tops", "traffic", "check", "simulator", "notes"}));
  EXPECT_EQ(keys_of(report["workload"]), (Words{"m", "k", "n", "bias", "activation"}));
  EXPECT_EQ(keys_of(report["plan"]),
            (Words{"k_tiles", "n_tiles", "m_chunks", "folds", "padded_m", "padded_k", "padded_n",
                   "padding_waste", "formula_cycles"}));
  EXPECT_EQ(keys_of(report["cycles"]),
            (Words{"total", "array_span", "array_active", "weight_shift", "weight_stall",
                   "input_stall", "raw_stall", "fill_drain", "vector", "output", "idle"}));
  EXPECT_EQ(keys_of(report["critical_path"]), kPathKeys);
  EXPECT_EQ(keys_of(report["bound"]),
            (Words{"cycles", "by", "ratio", "array", "vector", "memory", "host"}));
  EXPECT_EQ(keys_of(report["macs"]), (Words{"useful", "issued", "padded_k", "padded_n"}));
  EXPECT_EQ(keys_of(report["traffic"]), (Words{"weight_bytes", "input_bytes", "output_bytes"}));
  EXPECT_EQ(keys_of(report["check"]),
            (Words{"reference", "agrees", "bit_exact", "max_abs_error", "nan_elements"}));
  EXPECT_EQ(keys_of(report["simulator"]),
            (Words{"wall_seconds", "cycles_per_second", "lockstep_cycles"}));
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["command"], "matmul");
  EXPECT_EQ(report["machine"]["name"], "tiny");
  EXPECT_EQ(report["machine"]["rows"], 4);
  EXPECT_EQ(report["machine"]["dtype"], "int8");
  EXPECT_EQ(report["machine"]["clock_mhz"], 100);
}

TEST(JsonTest, LedgerAndMacsAddUp) {
  for (const std::string machine : {"tiny", "tpu-v1", "tpu-v2"}) {
    for (const std::string engine : {"analytic", "fast"}) {
      SCOPED_TRACE(machine + " " + engine);
      const json report = report_of(product("33", "70", "129", machine, engine));
      const json& cycles = report["cycles"];
      std::int64_t sum = 0;
      for (const char* key : {"array_active", "weight_shift", "weight_stall", "input_stall",
                              "raw_stall", "fill_drain", "vector", "output", "idle"}) {
        sum += cycles[key].get<std::int64_t>();
      }
      EXPECT_EQ(sum, cycles["total"]);
      const json& path = report["critical_path"];
      EXPECT_EQ(path["total"], cycles["total"]);
      for (const std::string& key : kPathKeys) sum -= path[key].get<std::int64_t>();
      EXPECT_EQ(sum, -cycles["total"].get<std::int64_t>());  // `total`, and the parts once more
      const json& macs = report["macs"];
      EXPECT_EQ(macs["useful"], 33 * 70 * 129);
      EXPECT_EQ(macs["issued"].get<std::int64_t>(), macs["useful"].get<std::int64_t>() +
                                                        macs["padded_k"].get<std::int64_t>() +
                                                        macs["padded_n"].get<std::int64_t>());
    }
  }
}

TEST(JsonTest, RatesFollowFromTheCounts) {
  const json report = report_of(product("33", "70", "129", "tpu-v2", "fast"));
  const double total = report["cycles"]["total"];
  const double useful = 33.0 * 70 * 129;
  EXPECT_DOUBLE_EQ(report["seconds"], total / 700e6);
  EXPECT_DOUBLE_EQ(report["utilization"], useful / (total * 128 * 128));
  EXPECT_DOUBLE_EQ(report["tops"], 2 * useful / (total / 700e6) / 1e12);
  const double issued = 33.0 * 128 * 256;
  EXPECT_DOUBLE_EQ(report["plan"]["padding_waste"], 1 - useful / issued);
}

TEST(JsonTest, OneTileTakesTheClassicFigure) {
  const json report = report_of(product("3", "4", "4", "tiny", "fast"));
  EXPECT_EQ(report["cycles"]["array_span"], 2 * 4 + 4 + 3 - 2);  // 2R + C + M - 2
  EXPECT_EQ(report["plan"]["formula_cycles"], 2 * 4 + 4 + 3 - 2);
}

TEST(JsonTest, EnginesReportTheSameCycles) {
  json reports[3];
  const char* engines[3] = {"analytic", "fast", "stepped"};
  for (int i = 0; i < 3; ++i) reports[i] = report_of(product("13", "9", "10", "tiny", engines[i]));
  EXPECT_EQ(reports[0]["cycles"], reports[1]["cycles"]);
  EXPECT_EQ(reports[1]["cycles"], reports[2]["cycles"]);
  EXPECT_EQ(reports[0]["check"]["reference"], "none");
  EXPECT_TRUE(reports[0]["check"]["bit_exact"].is_null());
  EXPECT_EQ(reports[1]["check"]["reference"], "cpu");
  EXPECT_EQ(reports[1]["check"]["bit_exact"], true);
  EXPECT_EQ(reports[2]["check"]["bit_exact"], true);
}

TEST(JsonTest, AnalyticNeedsNoMemoryForMatrices) {
  // The matrices would take 87 GB.
  const json report = report_of(product("20000000", "128", "1024", "tpu-v2", "analytic"));
  EXPECT_GE(report["cycles"]["array_active"], 8 * std::int64_t{20000000});
}

TEST(JsonTest, AnalyticNeedsNoMemoryForTheProgram) {
  // 50,331,651 instructions, of 240 bytes each if they were held.
  const json report = report_of(product("200", "2147483648", "111", "tpu-v2", "analytic"));
  EXPECT_EQ(report["cycles"]["array_active"], 200 * std::int64_t{16'777'216});
  EXPECT_EQ(report["traffic"]["weight_bytes"], std::int64_t{16'777'216} * 128 * 128 * 2);
}

TEST(JsonTest, TheWorkloadSaysWhetherThereIsABiasAndAnActivation) {
  Words words = product("5", "6", "3", "tiny", "fast");
  EXPECT_EQ(report_of(words)["workload"]["bias"], false);
  EXPECT_EQ(report_of(words)["workload"]["activation"], "none");
  words.insert(words.end(), {"--with-bias", "--activation", "relu"});
  EXPECT_EQ(report_of(words)["workload"]["bias"], true);
  EXPECT_EQ(report_of(words)["workload"]["activation"], "relu");
}

TEST(JsonTest, ExplainGivesPlanTermsAndAdvice) {
  const json report = report_of({"explain", "256", "128", "129", "--machine", "tpu-v2"});
  const json& terms = report["plan"]["formula_terms"];
  EXPECT_EQ(
      terms["weight_load"].get<int>() + terms["steps"].get<int>() + terms["last_fold"].get<int>(),
      report["plan"]["formula_cycles"]);
  EXPECT_NE(report["advice"].get<std::string>().find("129"), std::string::npos);
  EXPECT_GT(report["simulator"]["wall_seconds"], 0.0);
  EXPECT_GT(report["simulator"]["cycles_per_second"], 0.0);
}

TEST(SummaryTest, IsShortPlainAndQuietOnRequest) {
  const Words words = product("5", "6", "3", "tiny", "fast");
  const Finished shown = run_weft(words);
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.out.find('\033'), std::string::npos) << "a file must have no color codes";
  // Two tiles: R + max(M,R) + M + R+C-2 = 4 + 5 + 5 + 6.
  for (const char* part : {"tiny", "5 x 6 x 3", "formula 20", "bit for bit", "array_active"}) {
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << " in:\n" << shown.out;
  }
  Words quiet = words;
  quiet.emplace_back("--quiet");
  EXPECT_EQ(run_weft(quiet).out, "");
}

TEST(SummaryTest, ExplainDrawsPaddingAndShowsFormulaBesideTheCount) {
  const Finished finished = run_weft({"explain", "5", "6", "3", "--machine", "tiny"});
  EXPECT_EQ(finished.code, 0);
  for (const char* part : {"█░", "A [5,6]", "formula", "array span", "advice"}) {
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << " in:\n" << finished.out;
  }
}

TEST(SummaryTest, ExplainSaysWhatTheArrayWaitedForBeyondTheFormula) {
  // Four FIFO slots are too few here, because 4*5 < 4 + 2*5 + 25.
  Words words = {"explain",
                 "4",
                 "19",
                 "135",
                 "--array.rows",
                 "5",
                 "--array.cols",
                 "25",
                 "--accumulators.rows",
                 "256",
                 "--unified_buffer.kib",
                 "64",
                 "--memory.kind",
                 "ideal",
                 "--weight_fifo.tiles",
                 "4"};
  const std::string line =
      "array span 247 is 95 more than the formula: +20 weight_shift, +75 weight_stall\n";
  const Finished four = run_weft(words);
  EXPECT_NE(four.out.find(line), std::string::npos) << four.out;
  words.back() = "8";
  EXPECT_EQ(run_weft(words).out.find("more than the formula"), std::string::npos);
}

TEST(SummaryTest, ExplainKeepsAdviceWithinAHundredColumns) {
  const Finished finished = run_weft({"explain", "3", "30001", "20001", "--machine", "tpu-v1"});
  const std::size_t begin = finished.out.find("\nadvice\n");
  ASSERT_NE(begin, std::string::npos) << finished.out;
  std::istringstream lines(finished.out.substr(begin));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(SummaryTest, ExplainCountsOneRowInTheSingular) {
  const Finished finished = run_weft({"explain", "1", "4", "4", "--machine", "tiny"});
  EXPECT_NE(finished.out.find("a chunk of M 1 row\n"), std::string::npos) << finished.out;
}

TEST(HelpTest, EveryCommandExplainsItself) {
  const Finished general = run_weft({"--help"});
  EXPECT_EQ(general.code, 0);
  for (const std::string name : {"run", "conv", "matmul", "explain", "quantize", "compile", "exec",
                                 "machines", "networks"}) {
    EXPECT_NE(general.out.find(name), std::string::npos);
    const Finished finished = run_weft({name, "--help"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_TRUE(finished.out.starts_with("Usage: weft " + name)) << finished.out;
    EXPECT_EQ(finished.out.find(" \n"), std::string::npos) << finished.out;
    EXPECT_EQ(finished.out.find("\n\n\n"), std::string::npos) << finished.out;
    EXPECT_EQ(finished.err, "");
  }
  EXPECT_TRUE(run_weft({"--version"}).out.starts_with("weft "));
}

TEST(MachinesTest, APrintedPresetIsAMachineFile) {
  const TemporaryFolder folder;
  const Finished preset = run_weft({"machines", "tiny"});
  ASSERT_EQ(preset.code, 0);
  EXPECT_NE(run_weft({"machines"}).out.find("tpu-v1"), std::string::npos);
  const std::string file = folder.write("mine.ini", preset.out);
  EXPECT_EQ(report_of(product("5", "6", "3", file, "fast"))["cycles"],
            report_of(product("5", "6", "3", "tiny", "fast"))["cycles"]);
}

TEST(ExitCodeTest, AProgramThatComputesSomethingElseIsAMismatch) {
  const TemporaryFolder folder;
  std::string text = run_weft({"compile", "2", "3", "4", "--machine", "tiny"}).out;
  const std::size_t at = text.find("vector ");  // a relu is added that the program does not declare
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 7, "op=relu ");
  const std::string file = folder.write("p.weft", text);
  const std::string a = folder.write("a.npy", npy("|i1", "(2, 3)", std::vector<char>(6, 1)));
  const std::string b = folder.write("b.npy", npy("|i1", "(3, 4)", std::vector<char>(12, -1)));
  const Finished finished = run_weft({"exec", file, "--a", a, "--b", b});
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.err,
            "weft: result [0][0] differs from the cpu reference: expected -3, got 0\n");
}

TEST(ExitCodeTest, AProgramWithAHazardIsASimulationError) {
  const TemporaryFolder folder;
  std::string text = run_weft({"compile", "2", "3", "4", "--machine", "tiny"}).out;
  const std::size_t at = text.find(" after=", text.find("\nstore "));
  ASSERT_NE(at, std::string::npos);
  text.erase(at, text.find('\n', at) - at);  // the store no longer waits for the vector unit
  const Finished finished = run_weft({"exec", folder.write("p.weft", text)});
  EXPECT_EQ(finished.code, 3);
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

/// Returns the output of `weft` on a terminal of this kind.
std::string on_terminal(const char* kind) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(master, 0);
  EXPECT_EQ(::grantpt(master), 0);
  EXPECT_EQ(::unlockpt(master), 0);
  const std::string name = ::ptsname(master);
  const int slave = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // keeps the written text readable
  ::setenv("TERM", kind, 1);
  ::unsetenv("NO_COLOR");
  EXPECT_EQ(run_weft({"matmul", "2", "3", "4", "--machine", "tiny"}, name.c_str()).code, 0);
  std::string text(4096, '\0');
  const ssize_t count = ::read(master, text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  ::close(slave);
  ::close(master);
  return text;
}

TEST(TerminalTest, ADumbOneGetsNoEscapeSequences) {
  EXPECT_NE(on_terminal("xterm").find('\033'), std::string::npos);
  for (const char* kind : {"dumb", ""}) {
    const std::string text = on_terminal(kind);
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find('\033'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace weft::test
