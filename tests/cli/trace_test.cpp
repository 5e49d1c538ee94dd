// --trace draws the same run that the report describes, or writes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/emit/matmul.h"
#include "runtime/job/shown_run.h"
#include "sim/config/config_keys.h"
#include "tests/cli/network/files.h"
#include "tests/cli/network/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Tensor;
using nlohmann::json;

constexpr const char* kHostile = "</script>\"\n\xFF";
constexpr const char* kHostileRead = "</script>\"\n\xEF\xBF\xBD";

class TraceCommandTest : public testing::Test {
 protected:
  /// Returns the report of a run that also writes run.trace.
  json traced(const Words& words) const {
    return report_of(joined(words, {"--trace", folder_.file("run.trace")}));
  }

  json events() const { return json::parse(folder_.read("run.trace"))["traceEvents"]; }

  /// Returns the bars and marks on the track of this name.
  std::vector<json> track(const std::string& name) const {
    const json all = events();
    int id = -1;
    for (const json& event : all) {
      if (event["name"] == "thread_name" && event["args"]["name"] == name) id = event["tid"];
    }
    std::vector<json> found;
    for (const json& event : all) {
      if (event["ph"] != "M" && event.value("tid", 0) == id) found.push_back(event);
    }
    return found;
  }

  void expect_ledger(const json& cycles) const {
    std::map<std::string, std::int64_t> sums;
    std::int64_t end = 0;
    for (const json& bar : track("ledger")) {
      sums[bar["name"]] += bar["dur"].get<std::int64_t>();
      EXPECT_EQ(bar["ts"], end);
      end += bar["dur"].get<std::int64_t>();
    }
    EXPECT_EQ(end, cycles["total"]);
    for (const auto& [name, sum] : sums) EXPECT_EQ(cycles[name], sum) << name;
  }

  void expect_refused(const Words& words, const std::string& part) const {
    const std::size_t before = folder_.count();
    const Finished finished = run_weft(words);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
    EXPECT_EQ(finished.err.find('\n'), finished.err.size() - 1) << finished.err;
    EXPECT_EQ(folder_.count(), before) << "something was written";
  }

  /// Two products with a rounding on the host between them. One node name needs escaping.
  std::string two_programs() const {
    Builder builder("two");
    const auto x = builder.input("x", {DataType::kFloat32, {2, 3}});
    const auto v = builder.constant(Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
    const auto first = builder.add(Op::kMatMul, {x, v}, {}, kHostile);
    const graph::Attributes to_int{{"to", static_cast<std::int64_t>(6)}};
    const graph::Attributes to_float{{"to", static_cast<std::int64_t>(1)}};
    const auto rounded = builder.add(Op::kCast, {first}, to_int, "round");
    const auto second = builder.add(Op::kCast, {rounded}, to_float, "back");
    const auto w = builder.constant(Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
    builder.output(builder.add(Op::kMatMul, {second, w}, {}, "last"), "y");
    return write_onnx_file(folder_, "two.onnx", builder.finish());
  }

  TemporaryFolder folder_;
};

TEST_F(TraceCommandTest, EveryEngineDrawsTheRunOfTheReport) {
  const Words words = {"matmul", "50", "6", "7", "--machine", "tiny", "--memory.kind", "shared"};
  std::string analytic;
  for (const std::string engine : {"analytic", "fast", "stepped"}) {
    SCOPED_TRACE(engine);
    const json report = traced(joined(words, {"--engine", engine}));
    expect_ledger(report["cycles"]);
    if (analytic.empty()) analytic = folder_.read("run.trace");
    EXPECT_TRUE(folder_.read("run.trace") == analytic) << "the trace differs from the analytic one";
    std::int64_t matmuls = 0;
    for (const json& bar : track("matmul")) {
      if (bar["name"] == "wait") continue;
      ++matmuls;
      EXPECT_LT(bar["args"]["chunk"], report["plan"]["m_chunks"]);
      EXPECT_LT(bar["args"]["k_tile"], report["plan"]["k_tiles"]);
      EXPECT_LT(bar["args"]["n_tile"], report["plan"]["n_tiles"]);
    }
    EXPECT_EQ(matmuls, report["plan"]["folds"].get<std::int64_t>());
  }
}

TEST_F(TraceCommandTest, ThePageOfALongRunShowsItsBeginning) {
  const Words words = {"matmul", "4", "6000000", "4", "--machine", "tiny", "--engine", "analytic"};
  const json report = report_of(joined(words, {"--html", folder_.file("page.html")}));
  const std::string note =
      "Page and trace show only the first 1,048,576 of 4,500,002 instructions: more would take "
      "too much memory.";
  EXPECT_EQ(report["notes"], json::array({note}));
  const std::string page = folder_.read("page.html");
  EXPECT_NE(page.find(note), std::string::npos);
  EXPECT_NE(page.find("There is no tile map: with 1 chunk along M, 1,500,000 tiles along K and 1 "
                      "along N"),
            std::string::npos);
  EXPECT_LT(page.size(), 5'000'000U);
}

TEST(ShownRunTest, IsARunOfTheFirstInstructions) {
  const MachineConfig config = load_preset("tiny");
  const TilingPlan plan = plan_matmul({30, 200, 20, true, Activation::kRelu}, config);
  const Program program = lower_matmul(plan, config);
  const runtime::ShownRun all = runtime::shown_run(plan, config, program.code.size());
  EXPECT_EQ(all.program, program);
  EXPECT_EQ(all.note, "");
  const runtime::ShownRun some = runtime::shown_run(plan, config, program.code.size(), 100);
  constexpr std::size_t kCount = 100;
  ASSERT_EQ(some.program.code.size(), kCount);
  EXPECT_TRUE(std::ranges::equal(some.program.code, std::span(program.code).first(kCount)));
  EXPECT_EQ(some.result.timeline.instructions.size(), kCount);
  EXPECT_NE(
      some.note.find(fmt::format("the first {} of {} instructions", kCount, program.code.size())),
      std::string::npos);
}

TEST_F(TraceCommandTest, ProgramsAreDrawnWithWhatTheirFileSays) {
  expect_ledger(traced({"exec", "first_program.weft"})["cycles"]);
  ASSERT_FALSE(track("matmul").empty());
  EXPECT_EQ(track("matmul").back()["args"]["text"].get<std::string>().substr(0, 6), "matmul");
}

TEST_F(TraceCommandTest, LayersAndHostNodesStandWhereTheReportHasThem) {
  const Words words = joined({"run", two_programs()}, small_machine("bf16"));
  const json report = traced(words);
  ASSERT_EQ(report["programs"], 2);
  expect_ledger(report["cycles"]);
  const std::vector<json> layers = track("layers");
  const std::vector<json> host = track("host");
  std::size_t drawn = 0;
  std::size_t marked = 0;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < report["layers"].size(); ++i) {
    const json& layer = report["layers"][i];
    const bool on_host = layer["where"] == "host";
    const json& event = on_host ? host.at(marked++) : layers.at(drawn++);
    EXPECT_EQ(event["args"]["layer"], i);
    EXPECT_EQ(event["args"]["op"], layer["op"]);
    EXPECT_EQ(event["args"]["where"], layer["where"]);
    EXPECT_EQ(event["ts"], end);
    if (on_host) continue;
    EXPECT_EQ(event["dur"], layer["cycles"]["total"]);
    end += event["dur"].get<std::int64_t>();
  }
  EXPECT_EQ(end, report["cycles"]["total"]);
  EXPECT_EQ(drawn, layers.size());
  EXPECT_EQ(marked, host.size());
  ASSERT_GE(marked, 1U);
  EXPECT_EQ(report["layers"][0]["name"], kHostileRead);
  EXPECT_EQ(layers.front()["name"], kHostileRead);
  EXPECT_EQ(folder_.read("run.trace").find("</"), std::string::npos);
  const std::vector<json> matmuls = track("matmul");
  EXPECT_EQ(matmuls.front()["args"].value("layer", 0), 0);
  EXPECT_EQ(matmuls.back()["args"]["layer"], report["layers"].size() - 1);
}

TEST_F(TraceCommandTest, ConvolutionsHaveThemToo) {
  const Words conv = {"conv", "--input", "1,2,3,3", "--filters", "2", "--kernel", "2"};
  const Words words = joined(conv, small_machine("int8"));
  expect_ledger(traced(words)["cycles"]);
  const std::string fast = folder_.read("run.trace");
  expect_ledger(traced(joined(words, {"--engine", "analytic"}))["cycles"]);
  EXPECT_TRUE(folder_.read("run.trace") == fast);
}

TEST_F(TraceCommandTest, WhereNothingCanBeWrittenNothingRuns) {
  const Words matmul = {"matmul", "2", "3", "4", "--machine", "tiny", "--trace"};
  const Words network = joined({"run", two_programs()}, joined(small_machine("bf16"), {"--trace"}));
  const std::string nowhere = folder_.file("no/such/folder.trace");
  for (const Words& words : {matmul, network}) {
    expect_refused(joined(words, {nowhere}), nowhere + ": cannot write");
    expect_refused(joined(words, {folder_.file("")}), "cannot write");
    expect_refused(joined(words, {"/dev/full"}), "/dev/full: cannot write: No space left");
    expect_refused(joined(words, {"-"}), "--trace -: only --json and --csv can go to stdout");
    const std::string json_file = folder_.file("x.json");
    expect_refused(joined(words, {json_file, "--json", json_file}), "--json and --trace");
  }
  expect_refused(joined(network, {folder_.file("two.onnx")}), "--trace would replace it");
  expect_refused(joined(network, {folder_.file("y.npy"), "--output-dir", folder_.file(".")}),
                 "--trace");
  expect_refused({"run", "lenet5", "--backend", "cpu", "--trace", folder_.file("x")},
                 "--trace: has no effect with --backend cpu");
}

TEST_F(TraceCommandTest, ARunThatFailsLeavesNone) {
  const std::string trace = folder_.file("race.trace");
  const Finished finished =
      run_weft({"exec", "missing_dependence.weft", "--machine", "tiny", "--memory.kind", "split",
                "--host.gb_per_s", "0.01", "--trace", trace});
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(trace));
  EXPECT_EQ(folder_.count(), 0U);
}

}  // namespace
}  // namespace weft::test
