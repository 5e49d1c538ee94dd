// Tests `weft explain --why`: each step equals the run of a machine that the test builds itself,
// and the changes sum to the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

/// A product on a machine, as options of `weft matmul`.
struct ProductRun {
  Keys keys;
  bool bias = false;
  std::string activation = "none";

  Words words() const {
    Words all = words_of(keys) + Words{"--activation", activation, "--engine", "analytic"};
    if (bias) all.emplace_back("--with-bias");
    return all;
  }
};

/// Applies a switch that --why reports to A's command line.
void apply(const json& one, ProductRun& run) {
  const auto name = one.at("name").get<std::string>();
  const auto to = one.at("to").get<std::string>();
  if (name == "bias") {
    run.bias = to == "on";
  } else if (name == "activation") {
    run.activation = to;
  } else {
    run.keys.at(name) = to;
  }
}

class ExplainWhyTest : public testing::Test {
 protected:
  std::string report(const std::string& name, const Words& words) {
    const std::string file = folder_.file(name);
    const Finished finished = run_weft(words + Words{"--quiet", "--json", file});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return file;
  }

  static json why(const std::string& a, const std::string& b) {
    return json_of({"explain", "--why", a, b}).at("why");
  }

  void expect_refused(const Words& words, const Words& parts) {
    SCOPED_TRACE(words.empty() ? "" : words.back());
    const Finished finished = run_weft(Words{"explain", "--why"} + words);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in: " << finished.err;
    }
  }

  TemporaryFolder folder_;
};

void expect_sums(const json& why) {
  std::int64_t sum = 0;
  std::int64_t cycles = why.at("a").at("cycles").at("total");
  for (const json& step : why.at("steps")) {
    const auto change = step.at("change").get<std::int64_t>();
    sum += change;
    cycles += change;
    EXPECT_EQ(step.at("cycles"), cycles);
    std::int64_t classes = 0;
    for (const auto& [name, part] : step.at("ledger_change").items()) {
      classes += part.get<std::int64_t>();
    }
    EXPECT_EQ(classes, change);
  }
  EXPECT_EQ(sum, why.at("difference"));
  EXPECT_EQ(cycles, why.at("b").at("cycles").at("total"));
}

TEST_F(ExplainWhyTest, EachStepIsTheRunOfTheMachineInBetween) {
  std::map<std::string, int> seen;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    ProductRun a{draw_keys(draw), draw.chance(50), draw.chance(50) ? "relu" : "none"};
    const ProductRun b{draw_keys(draw), draw.chance(50), draw.chance(50) ? "relu" : "none"};
    const Words product = {"matmul", std::to_string(draw.between(1, 40)),
                           std::to_string(draw.between(1, 40)),
                           std::to_string(draw.between(1, 40))};
    const json found =
        why(report("a.json", product + a.words()), report("b.json", product + b.words()));
    expect_sums(found);
    for (const json& step : found.at("steps")) {
      for (const json& one : step.at("switches")) {
        ++seen[one.at("name").get<std::string>()];
        apply(one, a);
      }
      EXPECT_EQ(json_of(product + a.words()).at("cycles").at("total"), step.at("cycles"));
    }
    EXPECT_TRUE(a.keys == b.keys && a.bias == b.bias && a.activation == b.activation);
  }
  Draw draw(1);
  for (const auto& [key, value] : draw_keys(draw)) EXPECT_GT(seen[key], 0) << key;
  EXPECT_GT(seen["bias"], 0);
  EXPECT_GT(seen["activation"], 0);
}

TEST_F(ExplainWhyTest, RepeatsTheBoundsOfBothRuns) {
  for (const Words& workload :
       {Words{"matmul", "20", "30", "17"}, Words{"run", "lenet5", "--engine", "analytic"}}) {
    const std::string a = report("a.json", workload + Words{"--machine", "tiny"});
    const std::string b = report("b.json", workload + Words{"--machine", "tpu-v2"});
    const json found = why(a, b);
    EXPECT_EQ(found.at("a").at("bound"), json::parse(folder_.read("a.json")).at("bound"));
    EXPECT_EQ(found.at("b").at("bound"), json::parse(folder_.read("b.json")).at("bound"));
    const std::string out = run_weft({"explain", "--why", a, b}).out;
    EXPECT_NE(out.find("\nbound\n  A: "), std::string::npos) << out;
    EXPECT_NE(out.find("; bound by "), std::string::npos) << out;
  }
}

TEST_F(ExplainWhyTest, WhatCannotBeAloneIsSwitchedTogether) {
  // A row of 2048 bytes needs 2 KiB of unified buffer, and results need more.
  const Words product = {"matmul", "3", "5", "2", "--machine", "tiny"};
  const json found =
      why(report("a.json", product + Words{"--unified_buffer.kib", "1"}),
          report("b.json", product + Words{"--unified_buffer.kib", "64", "--array.rows", "2048",
                                           "--vector.latency_cycles", "9"}));
  expect_sums(found);
  ASSERT_EQ(found.at("steps").size(), 2U);
  const json& together = found.at("steps")[0].at("switches");
  ASSERT_EQ(together.size(), 2U);
  EXPECT_EQ(together[0].at("name"), "array.rows");
  EXPECT_EQ(together[1].at("name"), "unified_buffer.kib");
  EXPECT_EQ(found.at("steps")[1].at("change"), 8);  // from 1 to 9 cycles after the last row
}

TEST_F(ExplainWhyTest, ConvolutionsAndNetworksToo) {
  const Words conv = {"conv", "--input", "1,3,8,8", "--filters", "6", "--kernel", "3"};
  const json of_conv =
      why(report("a.json", conv + Words{"--machine", "tiny"}),
          report("b.json", conv + Words{"--machine", "tiny", "--array.dtype", "bf16", "--with-bias",
                                        "--array.double_buffer", "off"}));
  expect_sums(of_conv);
  EXPECT_EQ(of_conv.at("steps").size(), 3U);
  EXPECT_GT(of_conv.at("steps")[1].at("change"), 0);
  const Words network = {"run", "lenet5", "--batch", "2", "--engine", "analytic"};
  const json of_network = why(report("a.json", network + Words{"--machine", "tpu-v1"}),
                              report("b.json", network + Words{"--machine", "tpu-v2"}));
  expect_sums(of_network);
  EXPECT_GT(of_network.at("steps").size(), 3U);
  const Words sequence = {"run", "lstm", "--sequence", "3", "--engine", "analytic"};
  expect_sums(why(report("a.json", sequence),
                  report("b.json", sequence + Words{"--memory.gb_per_s", "100.5"})));
}

TEST_F(ExplainWhyTest, TheSearchIsSwitchedToo) {
  const Words network = {"run", "lenet5", "--engine", "analytic", "--machine", "tpu-v1"};
  const std::string a = report("a.json", network + Words{"--optimize", "0"});
  const std::string plan = folder_.file("plan.json");
  const std::string b = report("b.json", network + Words{"--plan", plan});
  const json found = why(a, b);
  expect_sums(found);
  ASSERT_EQ(found.at("steps").size(), 1U);
  EXPECT_LT(found.at("difference"), 0);
  const json search = {{"name", "--optimize"}, {"from", "0"}, {"to", "1"}};
  EXPECT_EQ(found.at("steps")[0].at("switches"), json::array({search}));
  const std::string followed = report("followed.json", network + Words{"--plan", plan});
  EXPECT_EQ(why(b, followed).at("difference"), 0);
  const std::string slow = folder_.file("slow.json");
  report("c.json", network + Words{"--plan", slow, "--optimize", "0"});
  expect_refused({b, report("slower.json", network + Words{"--plan", slow})},
                 {"slower.json", "followed a plan", "run without --plan"});
}

TEST_F(ExplainWhyTest, TheSearchOfALayersExplanationIsRepeated) {
  const Words machine = {"--machine", "tpu-v2"};
  const Words layer = Words{"explain", "lenet5", "--layer", "c3"} + machine;
  const Words network = Words{"run", "lenet5", "--engine", "analytic"} + machine;
  const std::string b = report("b.json", network);
  for (const char* level : {"0", "2"}) {
    SCOPED_TRACE(level);
    const Words search = {"--optimize", level};
    const std::string a = folder_.file("a.json");
    ASSERT_EQ(run_weft(layer + search + Words{"--json", a}).code, 0);
    const std::string run = report("run.json", network + search);
    EXPECT_EQ(json::parse(folder_.read("a.json")).at("plan"),
              json::parse(folder_.read("run.json")).at("plan"));
    EXPECT_TRUE(why(a, run).at("steps").empty());
    const json found = why(a, b);
    ASSERT_EQ(found.at("steps").size(), 1U);
    EXPECT_EQ(found.at("steps")[0].at("switches")[0].at("name"), "--optimize");
    EXPECT_EQ(found.at("steps")[0].at("switches")[0].at("from"), level);
  }
  const std::string plan = folder_.file("plan.json");
  report("wrote.json", network + Words{"--plan", plan});
  ASSERT_EQ(run_weft(layer + Words{"--plan", plan, "--json", folder_.file("a.json")}).code, 0);
  EXPECT_TRUE(json::parse(folder_.read("a.json")).at("plan").at("optimize").is_null());
}

TEST_F(ExplainWhyTest, AProductAgainstANetworkIsOneSwitch) {
  const Words tiny = {"--machine", "tiny"};
  const std::string product = report("product.json", Words{"matmul", "20", "30", "17"} + tiny);
  const std::string network = report(
      "network.json", Words{"run", "lenet5", "--engine", "analytic", "--optimize", "0"} + tiny);
  const json found = why(product, network);
  expect_sums(found);
  const json workload = {{"name", "workload"},
                         {"from", "product 20 x 30 x 17"},
                         {"to", "lenet5, batch 1, --optimize 0"}};
  ASSERT_EQ(found.at("steps").size(), 1U);
  EXPECT_EQ(found.at("steps")[0].at("switches"), json::array({workload}));
  const std::string out = run_weft({"explain", "--why", product, network}).out;
  EXPECT_EQ(out.find("plan"), std::string::npos) << out;
  const json back = why(network, product);
  expect_sums(back);
  ASSERT_EQ(back.at("steps").size(), 1U);
  EXPECT_EQ(back.at("steps")[0].at("switches")[0].at("from"), "lenet5, batch 1, --optimize 0");
  EXPECT_NE(run_weft({"explain", "--why", network, product}).out.find("plan 8 x 5 tiles"),
            std::string::npos);
}

TEST_F(ExplainWhyTest, EqualRunsDifferInNothing) {
  const Words product = {"matmul", "5", "6", "7", "--machine", "tiny"};
  const std::string a = report("a.json", product);
  // What only the energy depends on (docs/energy.md) is no assumption about cycles.
  const std::string b =
      report("b.json", product + Words{"--machine.name", "other", "--power.node", "7nm",
                                       "--power.static_w", "3", "--power.memory", "gddr"});
  EXPECT_TRUE(why(a, b).at("steps").empty());
  const Finished text = run_weft({"explain", "--why", a, b});
  EXPECT_NE(text.out.find("The runs differ in nothing that affects cycles."), std::string::npos);
}

TEST_F(ExplainWhyTest, DifferentSizesAreSwitchedOneByOne) {
  const Words tiny = {"--machine", "tiny"};
  const std::string a = report("a.json", Words{"matmul", "5", "6", "7"} + tiny);
  const json sizes = why(a, report("b.json", Words{"matmul", "9", "6", "8"} + tiny));
  expect_sums(sizes);
  ASSERT_EQ(sizes.at("steps").size(), 2U);
  EXPECT_EQ(sizes.at("steps")[0].at("switches")[0].at("name"), "m");
  EXPECT_EQ(sizes.at("steps")[0].at("cycles"),
            json_of(Words{"matmul", "9", "6", "7"} + tiny).at("cycles").at("total"));
  EXPECT_TRUE(sizes.at("a").at("cycles_per_image").is_null());
  const std::string c = report(
      "c.json", Words{"conv", "--input", "1,3,8,8", "--filters", "6", "--kernel", "3"} + tiny);
  const std::string d =
      report("d.json", Words{"conv", "--input", "2,4,8,9", "--filters", "8", "--kernel", "5,3",
                             "--stride", "2", "--pad", "1", "--groups", "2"} +
                           tiny);
  const json convs = why(c, d);
  expect_sums(convs);
  std::vector<std::string> names;
  for (const json& step : convs.at("steps")) {
    for (const json& one : step.at("switches")) names.push_back(one.at("name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"batch", "channels", "width", "filters", "kernel",
                                             "stride", "pad", "groups"}));
  const json kinds = why(a, c);
  expect_sums(kinds);
  EXPECT_EQ(kinds.at("steps")[0].at("switches")[0].at("name"), "workload");
}

TEST_F(ExplainWhyTest, RunsOfDifferentBatchesAreComparedPerImage) {
  const Words network = {"run",      "lenet5",   "--machine",  "tpu-v2",
                         "--engine", "analytic", "--optimize", "0"};
  const Words fast = {"--memory.gb_per_s", "700"};
  const std::string a = report("a.json", network);
  const std::string b = report("b.json", network + fast + Words{"--batch", "4"});
  const json found = why(a, b);
  expect_sums(found);
  ASSERT_EQ(found.at("steps").size(), 2U);
  EXPECT_EQ(found.at("steps")[0].at("cycles"), json_of(network + fast).at("cycles").at("total"));
  EXPECT_EQ(found.at("steps")[1].at("switches")[0].at("name"), "batch");
  const double cycles = found.at("b").at("cycles").at("total");
  EXPECT_EQ(found.at("b").at("cycles_per_image"), cycles / 4);
  EXPECT_EQ(found.at("a").at("cycles_per_image"), found.at("a").at("cycles").at("total"));
  EXPECT_EQ(found.at("steps")[1].at("cycles_per_image"), cycles / 4);
  const std::string out = run_weft({"explain", "--why", a, b}).out;
  EXPECT_NE(out.find("  per image: A "), std::string::npos) << out;
  EXPECT_NE(out.find("(batch 4)"), std::string::npos) << out;
  EXPECT_EQ(run_weft({"explain", "--why", a, a}).out.find("per image"), std::string::npos);
}

TEST_F(ExplainWhyTest, WhatIsNoReportIsRefused) {
  const std::string a = report("a.json", {"matmul", "5", "6", "7", "--machine", "tiny"});
  std::ifstream in(a);
  const json good = json::parse(in);
  const auto edited = [&](const char* pointer, const json& value) {
    json copy = good;
    copy[json::json_pointer(pointer)] = value;
    return folder_.write("edited.json", copy.dump());
  };
  expect_refused({a}, {"two"});
  expect_refused({}, {"two"});
  expect_refused({a, a, a}, {"one argument too many"});
  expect_refused({a, folder_.file("none.json")}, {"none.json", "no such file"});
  expect_refused({a, folder_.file(".")}, {"folder"});
  for (const char* text : {"", "{", "[1, 2]", "3", "null", "\xFF\xFE", "{}", "{\"schema\": 1}"}) {
    expect_refused({a, folder_.write("bad.json", text)}, {"bad.json"});
  }
  expect_refused({a, folder_.write("deep.json", std::string(100'000, '['))},
                 {"deep.json", "not JSON"});
  expect_refused({edited("/schema", 2), a}, {"edited.json", "schema 2", "schema 1"});
  expect_refused({a, edited("/schema", "1")}, {"edited.json", "not a --json report"});
  expect_refused({a, edited("/machine/rows", 0)}, {"edited.json", "array.rows", "1..4096"});
  expect_refused({a, edited("/machine/rows", -4)}, {"edited.json", "array.rows"});
  expect_refused({a, edited("/machine/memory_kind", "x")}, {"edited.json", "memory.kind"});
  expect_refused({a, edited("/machine", json::object())},
                 {"edited.json", "machine.name is missing"});
  expect_refused({a, edited("/machine", nullptr)}, {"edited.json", "has no cycles of a run"});
  expect_refused({a, edited("/workload/m", 1.5)}, {"edited.json", "workload.m"});
  expect_refused({a, edited("/workload/m", std::uint64_t{1} << 63U)},
                 {"edited.json", "workload.m"});
  expect_refused({a, edited("/workload/activation", "tanh")}, {"edited.json", "tanh"});
  expect_refused({a, edited("/workload/bias", 1)}, {"edited.json", "workload.bias"});
  expect_refused({a, edited("/plan", nullptr)}, {"edited.json", "did not make"});
  expect_refused({a, edited("/cycles/total", 40)}, {"edited.json", "says 40", "counts 39"});
}

TEST_F(ExplainWhyTest, ReportsOfNoRunAreRefusedWithTheCommandsThatHaveOne) {
  const std::string a = report("a.json", {"matmul", "5", "6", "7", "--machine", "tiny"});
  const std::string other = folder_.file("other.json");
  const std::vector<Words> commands = {
      {"sweep", "matmul", "5", "6", "7", "--machine", "tiny"},
      {"compare", "matmul", "5", "6", "7", "--with", "tiny"},
      {"explain", "lenet5", "--sweep", "batch=1..2", "--optimize", "0"},
      {"explain", "--why", a, a},
      {"run", "digits-mlp", "--backend", "cpu"},
      {"train", "digits-mlp", "--backend", "sim", "--epochs", "0"},
      {"networks"}};
  for (const Words& command : commands) {
    SCOPED_TRACE(command[0] + " " + (command.size() > 1 ? command[1] : ""));
    const Finished finished = run_weft(command + Words{"--json", other});
    ASSERT_EQ(finished.code, 0) << finished.err;
    expect_refused({a, other}, {"other.json", "give reports of matmul, conv, run or exec"});
    const Finished compared = run_weft({"compare", a, other});
    EXPECT_EQ(compared.code, 2);
    EXPECT_NE(compared.err.find("give reports of matmul, conv, run or exec"), std::string::npos)
        << compared.err;
  }
}

TEST_F(ExplainWhyTest, TheHelpSaysWhatTheFilesHave) {
  const std::string help = run_weft({"explain", "--why", "--help"}).out;
  EXPECT_NE(help.find("each switch"), std::string::npos) << help;
  EXPECT_EQ(help.find("each layer"), std::string::npos) << help;
  EXPECT_EQ(help.find("timeline"), std::string::npos) << help;
}

TEST_F(ExplainWhyTest, NoReportIsOverwritten) {
  const std::string a = report("a.json", {"matmul", "5", "6", "7", "--machine", "tiny"});
  expect_refused({a, a, "--json", a}, {a, "--json"});
  expect_refused({a, a, "--html", a}, {a, "--html"});
  expect_refused({a, a, "--html", "-"}, {"--html -"});
  expect_refused({a, a, "--steps", "3"}, {"--steps"});
}

}  // namespace
}  // namespace weft::test
