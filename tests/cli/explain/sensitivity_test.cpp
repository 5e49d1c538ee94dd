// Tests --sensitivity: each row equals a run that the test makes itself. For rates and latencies
// that is the same program, written by `weft compile`, on the other machine; for sizes a new
// compilation.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

const Words kSizes = {"array.rows",         "array.cols",        "accumulators.rows",
                      "unified_buffer.kib", "weight_fifo.tiles", "sequencer.queue_depth"};
bool is_size(const std::string& key) {
  return std::ranges::find(kSizes, key) != kSizes.end();
}

/// The key's part of the critical path; empty if it has none.
std::string part_of(const std::string& key) {
  if (key == "memory.gb_per_s") return "memory";
  if (key == "memory.latency_cycles") return "memory_latency";
  if (key == "host.gb_per_s") return "host";
  if (key == "host.latency_cycles") return "host_latency";
  if (key == "vector.latency_cycles") return "vector_latency";
  return "";
}

json row_of(const json& sensitivity, const std::string& key) {
  for (const json& row : sensitivity.at("keys")) {
    if (row.at("key") == key) return row;
  }
  return nullptr;
}

TEST(SensitivityTest, EachRowIsTheRunOfThatMachine) {
  const TemporaryFolder folder;
  for (const std::string machine : {"tiny", "tpu-v1", "tpu-v2", "edge-tpu"}) {
    const Words product = {"300", "200", "500"};
    const std::string file = folder.file(machine + ".weft");
    ASSERT_EQ(run_weft(Words{"compile"} + product + Words{"--machine", machine, "-o", file}).code,
              0);
    const Words matmul = Words{"matmul"} + product;
    const Words options = {"--machine", machine, "--engine", "analytic"};
    const json report = json_of(matmul + options + Words{"--sensitivity"});
    const json& sensitivity = report.at("sensitivity");
    const std::int64_t now = report.at("cycles").at("total");
    EXPECT_EQ(sensitivity.at("cycles"), now);
    EXPECT_EQ(sensitivity.at("keys").size() + sensitivity.at("left_out").size(), 12U);
    double before = -1;
    for (const json& row : sensitivity.at("keys")) {
      const std::string key = row.at("key");
      SCOPED_TRACE(machine + " " + key);
      const Words run = is_size(key) ? matmul : Words{"exec", file};
      const json other =
          json_of(run + options + Words{"--" + key, row.at("to").get<std::string>()});
      const std::int64_t cycles = other.at("cycles").at("total");
      EXPECT_EQ(row.at("cycles"), cycles);
      EXPECT_EQ(row.at("won"), now - cycles);
      EXPECT_EQ(row.at("recompiled"), is_size(key));
      const double change =
          other.at("seconds").get<double>() / report.at("seconds").get<double>() - 1;
      EXPECT_NEAR(row.at("time_change"), change, 1e-12);
      EXPECT_GE(row.at("time_change"), before);
      before = row.at("time_change");
      if (!part_of(key).empty()) {
        EXPECT_LE(row.at("won"), report.at("critical_path").at(part_of(key)));
      }
    }
  }
}

TEST(SensitivityTest, ValuesAreATenthBetterOrOneUnit) {
  const json sensitivity =
      json_of({"matmul", "9", "9", "9", "--machine", "tpu-v1", "--vector.latency_cycles", "1",
               "--weight_fifo.tiles", "1024", "--engine", "analytic", "--sensitivity"})
          .at("sensitivity");
  const auto to = [&](const char* key) { return row_of(sensitivity, key).at("to"); };
  EXPECT_EQ(to("clock_mhz"), "770");
  EXPECT_EQ(to("memory.gb_per_s"), "37.4");
  EXPECT_EQ(to("memory.latency_cycles"), "63");
  EXPECT_EQ(to("array.rows"), "281");
  EXPECT_EQ(to("sequencer.queue_depth"), "17");
  EXPECT_EQ(sensitivity.at("left_out"), json({"weight_fifo.tiles", "vector.latency_cycles"}));
}

TEST(SensitivityTest, MarksWhatThePresetOnlyAssumes) {
  const Words run = {"matmul", "40", "30", "20", "--engine", "analytic", "--sensitivity"};
  const auto assumed = [&](const Words& options) {
    Words keys;
    const json report = json_of(run + options);
    for (const json& row : report.at("sensitivity").at("keys")) {
      if (row.at("assumed").get<bool>()) keys.push_back(row.at("key"));
    }
    std::ranges::sort(keys);
    return keys;
  };
  // docs/machines.md
  EXPECT_EQ(assumed({"--machine", "tpu-v1"}),
            (Words{"host.gb_per_s", "host.latency_cycles", "memory.latency_cycles",
                   "sequencer.queue_depth", "vector.latency_cycles"}));
  EXPECT_EQ(
      assumed({"--machine", "tpu-v1", "--host.gb_per_s", "13", "--sequencer.queue_depth", "8"}),
      (Words{"host.latency_cycles", "memory.latency_cycles", "vector.latency_cycles"}));
  EXPECT_EQ(assumed({"--machine", "tpu-v1", "--machine.name", "mine"}), Words{});
}

TEST(SensitivityTest, NetworksAndConvolutionsHaveATable) {
  for (const Words& run : {Words{"run", "lenet5", "--machine", "edge-tpu", "--engine", "analytic"},
                           Words{"conv", "--input", "1,4,9,9", "--filters", "8", "--kernel", "3,3",
                                 "--machine", "tiny"}}) {
    const Finished finished = run_weft(run + Words{"--sensitivity"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("if one key were 10 % faster or larger"), std::string::npos);
    EXPECT_NE(finished.out.find("compiled again"), std::string::npos);
    EXPECT_EQ(run_weft(run).out.find("10 % faster"), std::string::npos);
  }
}

TEST(SensitivityTest, ItIsRefusedWhereItHasNoMeaning) {
  const Words runs[] = {{"run", "lenet5", "--backend", "cpu", "--sensitivity"},
                        {"matmul", "8", "8", "8", "--sensitivity", "--quiet"},
                        {"exec", "nothing.weft", "--sensitivity"},
                        {"explain", "5", "6", "7", "--sensitivity"}};
  for (const Words& run : runs) {
    const Finished finished = run_weft(run);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find("sensitivity"), std::string::npos) << finished.err;
  }
}

}  // namespace
}  // namespace weft::test
