// `weft explain NETWORK --layer NAME` lists a layer's candidates. The tests compare its figures
// with runs of the same network.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

const Words kMachine = {"--machine", "tpu-v2"};
const Words kLayer = Words{"explain", "lenet5", "--layer", "c3"} + kMachine;
const Words kRun = Words{"run", "lenet5", "--engine", "analytic"} + kMachine;

json layer_of(const json& report, const std::string& name) {
  for (const json& layer : report.at("layers")) {
    if (layer.at("name") == name) return layer;
  }
  return nullptr;
}

TEST(ExplainLayerTest, TheFirstCandidateIsTheRun) {
  const json report = json_of(kLayer);
  const json run = json_of(kRun);
  EXPECT_EQ(report.at("command"), "explain");
  EXPECT_EQ(report.at("layer"), "c3");
  EXPECT_EQ(report.at("cycles"), run.at("cycles"));
  const json& runs = report.at("candidates").at("runs");
  EXPECT_EQ(runs[0].at("cycles"), run.at("cycles").at("total"));
  EXPECT_EQ(runs[0].at("layer"), layer_of(run, "c3"));
  EXPECT_TRUE(runs[0].at("decisions").empty());
  EXPECT_TRUE(runs[0].at("reason").is_null());
  ASSERT_GT(runs.size(), 4U);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::int64_t change = runs[i].at("change");
    EXPECT_EQ(change,
              runs[i].at("cycles").get<std::int64_t>() - runs[0].at("cycles").get<std::int64_t>());
    if (i > 1) {
      EXPECT_GE(runs[i].at("cycles"), runs[i - 1].at("cycles"));
    }
    const std::string reason = runs[i].at("reason");
    EXPECT_EQ(reason.starts_with("the same cycles"), change == 0) << reason;
    EXPECT_EQ(reason.starts_with("+"), change > 0) << reason;
  }
}

// c3 has 100 results of each of 16 filters. A result sums 150 products, which takes two additions
// on 128 rows, and 128 columns add in a cycle. 16 x 150 weights and 14 x 14 x 6 elements need fewer
// cycles.
TEST(ExplainLayerTest, NamesTheBounds) {
  const json run = json_of(kRun);
  const json bound = layer_of(run, "c3").at("bound");
  EXPECT_EQ(bound.at("cycles"), 25);
  EXPECT_EQ(bound.at("by"), "array");
  EXPECT_EQ(bound.at("array"), 100 * 16 * 2 / 128.0);
  EXPECT_EQ(bound.at("vector"), 100 * 16 / 128.0);
  const json layer = json_of(kLayer);
  for (const json& candidate : layer.at("candidates").at("runs")) {
    EXPECT_EQ(candidate.at("layer").at("bound"), bound) << candidate.at("decisions");
  }
  const std::string out = run_weft(kLayer).out;
  const std::string by = "bound by " + run.at("bound").at("by").get<std::string>();
  for (const std::string& part :
       {std::string("its work alone takes at least 25 cycles, by the array"),
        std::string("array 25, vector unit 13"), by}) {
    EXPECT_NE(out.find(part), std::string::npos) << part << " in " << out;
  }
}

TEST(ExplainLayerTest, DoubledSizesAreRuns) {
  const json doubled = json_of(kLayer).at("candidates").at("doubled");
  const std::int64_t now = json_of(kRun).at("cycles").at("total");
  ASSERT_EQ(doubled.size(), 4U);
  for (const json& size : doubled) {
    const std::string name = size.at("name");
    SCOPED_TRACE(name);
    const json run = json_of(kRun + Words{"--" + name, size.at("to").get<std::string>()});
    const std::int64_t total = run.at("cycles").at("total");
    EXPECT_EQ(size.at("cycles"), total);
    EXPECT_EQ(size.at("saved"), (name == "batch" ? 2 : 1) * now - total);
    EXPECT_EQ(size.at("layer_cycles"), layer_of(run, "c3").at("cycles").at("total"));
  }
}

TEST(ExplainLayerTest, PrintsEachCandidateWithItsReason) {
  const Finished finished = run_weft(kLayer);
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  for (const char* part : {"layer c3: Conv", "as chosen", "instructions in order by layer",
                           " cycles: ", "what the mapper cannot change", "weight_fifo.tiles"}) {
    EXPECT_NE(finished.out.find(part), std::string::npos) << part;
  }
}

TEST(ExplainLayerTest, NamesASimilarLayer) {
  const Finished wrong = run_weft(Words{"explain", "lenet5", "--layer", "c33"} + kMachine);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err, "weft: lenet5: --layer 'c33': no such layer; did you mean 'c3'?\n");
  const Finished strange = run_weft(Words{"explain", "lenet5", "--layer", "attention"} + kMachine);
  EXPECT_EQ(strange.code, 2);
  EXPECT_EQ(
      strange.err,
      "weft: lenet5: --layer 'attention': no such layer; `weft run lenet5 --machine tpu-v2` lists "
      "the layers\n");
}

TEST(ExplainLayerTest, RefusesASweepInOneLine) {
  const Finished refused = run_weft(kLayer + Words{"--sweep", "batch=1..3"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, "weft: --sweep has no effect with --layer; remove one of them\n");
}

TEST(ExplainLayerTest, TheHintKeepsWhatDecidesTheLayers) {
  const Finished wrong = run_weft({"explain", "lenet5", "--layer=attention", "--json", "-",
                                   "--batch", "4", "--machine", "tiny", "--array.rows", "8"});
  EXPECT_EQ(wrong.err,
            "weft: lenet5: --layer 'attention': no such layer; `weft run lenet5 --batch 4 "
            "--machine tiny --array.rows 8` lists the layers\n");
}

// On `tiny` most layers run in bands, and stacks of layers can be shortened in several ways.
TEST(ExplainLayerTest, DifferentDecisionsHaveDifferentWords) {
  std::set<std::string> seen;
  bool has_bands = false;
  const json report = json_of({"explain", "lenet5", "--layer", "s2", "--machine", "tiny"});
  for (const json& run : report.at("candidates").at("runs")) {
    for (const std::string decision : run.at("decisions")) {
      EXPECT_TRUE(seen.insert(decision).second) << decision;
      has_bands = has_bands || decision.ends_with("all lines at once");
    }
  }
  EXPECT_TRUE(has_bands);
}

TEST(ExplainLayerTest, AVectorLayerHasNoColumnsOfTiles) {
  const std::string out = run_weft({"explain", "lenet5", "--layer", "s2", "--machine", "tiny"}).out;
  const std::size_t begin = out.find("cycles  layer");
  const std::size_t end = out.find("what the mapper cannot change");
  ASSERT_LT(begin, end) << out;
  const std::string table = out.substr(begin, end - begin);
  EXPECT_NE(table.find("moved"), std::string::npos) << table;
  for (const char* column : {"tiles", "fetches", "pad"}) {
    EXPECT_EQ(table.find(column), std::string::npos) << column << table;
  }
}

TEST(ExplainLayerTest, SaysWhetherAPlanWasWrittenOrFollowed) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("plan.json");
  const Words words = {"explain", "lenet5", "--layer", "c3", "--machine", "tiny", "--plan", plan};
  const auto says = [&](const std::string& text, const std::string& part) {
    std::string line = text;  // without wrapping
    std::ranges::replace(line, '\n', ' ');
    while (line.find("  ") != std::string::npos) line.erase(line.find("  "), 1);
    return line.find(part) != std::string::npos;
  };
  const std::string written = run_weft(words).out;
  EXPECT_TRUE(says(written, "wrote the plan to " + plan)) << written;
  EXPECT_FALSE(says(written, "follows a plan")) << written;
  EXPECT_TRUE(says(written, "what the mapper cannot change")) << written;
  const std::string followed = run_weft(words).out;
  EXPECT_TRUE(says(followed, "followed the plan in " + plan)) << followed;
  EXPECT_TRUE(says(followed, "The network follows a plan")) << followed;
}

TEST(ExplainLayerTest, IsNeededForANetwork) {
  const Finished finished = run_weft(Words{"explain", "lenet5"} + kMachine);
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.err,
            "weft: 'lenet5': to explain a layer of a network, add --layer LAYER; `weft run lenet5 "
            "--machine tpu-v2` lists the layers\n");
}

TEST(ExplainLayerTest, TakesANameAsTheTableShortensIt) {
  const Words bert = {"--sequence", "4", "--machine", "tpu-v1", "--optimize", "0"};
  const json run = json_of(Words{"run", "bert-base", "--engine", "analytic"} + bert);
  std::map<std::string, Words> full;
  for (const json& layer : run.at("layers")) {
    const std::string name = layer.at("name");
    if (name.size() <= 18) continue;
    full[name.substr(0, 8) + ".." + name.substr(name.size() - 8)].push_back(name);
  }
  const auto several =
      std::ranges::find_if(full, [](auto& each) { return each.second.size() > 1; });
  ASSERT_NE(several, full.end());
  const Finished finished =
      run_weft(Words{"explain", "bert-base", "--layer", several->first} + bert);
  EXPECT_EQ(finished.code, 2);
  const std::string names =
      "may be '" + several->second[0] + "' or '" + several->second[1] + "'; give one of them";
  EXPECT_NE(finished.err.find(names), std::string::npos) << finished.err;
  const auto one = std::ranges::find_if(full, [](auto& each) { return each.second.size() == 1; });
  ASSERT_NE(one, full.end());
  const Words layer = {"--layer", one->first};
  EXPECT_EQ(json_of(Words{"explain", "bert-base"} + layer + bert).at("layer"), one->second[0]);
}

// On tpu-v1 joined lines are taken apart before the pool of LeNet-5.
TEST(ExplainLayerTest, TellsACopyFromTheLayerThatReadsIt) {
  const Words machine = {"--machine", "tpu-v1"};
  const json run = json_of(Words{"run", "lenet5", "--engine", "analytic"} + machine);
  EXPECT_EQ(layer_of(run, "s2/copy").at("op"), "Copy");
  EXPECT_EQ(layer_of(run, "s2").at("op"), "AveragePool");
  for (const char* name : {"s2/copy", "s2"}) {
    const json report = json_of(Words{"explain", "lenet5", "--layer", name} + machine);
    EXPECT_EQ(report.at("layer"), name);
    EXPECT_EQ(report.at("candidates").at("runs")[0].at("layer"), layer_of(run, name));
  }
  const Finished wrong = run_weft(Words{"explain", "lenet5", "--layer", "s2:2"} + machine);
  EXPECT_EQ(wrong.code, 2);
}

// The rows of the table are found by their cycles in the JSON report.
TEST(ExplainLayerTest, FoldsCandidatesOfEqualCycles) {
  const Words conv = {"explain", "conv", "--input", "1,3,8,8", "--filters", "6",   "--kernel", "3",
                      "--pad",   "same", "--taps",  "apart",   "--machine", "tiny"};
  const json runs = json_of(conv).at("candidates").at("runs");
  std::map<std::int64_t, std::vector<json>> by_cycles;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto& equal = by_cycles[runs[i].at("cycles").get<std::int64_t>()];
    const auto bytes = [](const json& run) {
      std::uint64_t sum = 0;
      for (const json& part : run.at("layer").at("traffic")) sum += part.get<std::uint64_t>();
      return sum;
    };
    if (!equal.empty()) {
      EXPECT_GE(bytes(runs[i]), bytes(equal.back()));
    }
    equal.push_back(runs[i]);
  }
  const std::string out = run_weft(conv).out;
  int folded = 0;
  for (const auto& [cycles, equal] : by_cycles) {
    if (equal.size() == 1) continue;
    std::string line =
        "\n    and " + std::to_string(equal.size() - 1) +
        " more of the same cycles: " + equal[1].at("decisions")[0].get<std::string>();
    EXPECT_NE(out.find(line), std::string::npos) << line << " in " << out;
    ++folded;
  }
  EXPECT_EQ(folded, 2);
}

TEST(ExplainLayerTest, SaysWhyTheHostComputesALayer) {
  const Words host = {"explain", "lstm", "--layer", "embedding", "--machine", "tpu-v1"};
  const Finished finished = run_weft(host);
  EXPECT_EQ(finished.code, 0);
  const json report = json_of(host);
  EXPECT_TRUE(report.at("candidates").is_null());
  const std::string note = layer_of(report, "embedding").at("note");
  EXPECT_FALSE(note.empty());
  EXPECT_EQ(finished.out, "layer embedding: the host computes it: " + note + "\n");
}

TEST(ExplainLayerTest, FollowsAPlan) {
  const TemporaryFolder folder;
  const std::string plan = folder.file("plan.json");
  ASSERT_EQ(run_weft(kRun + Words{"--plan", plan}).code, 0);
  const json searched = json_of(kLayer).at("candidates").at("runs");
  const json followed = json_of(kLayer + Words{"--plan", plan}).at("candidates");
  EXPECT_EQ(followed.at("runs")[0], searched[0]);
  EXPECT_TRUE(followed.at("doubled").is_null());
}

TEST(ExplainLayerTest, AConvolutionHasCandidatesToo) {
  const Words conv = {"explain", "conv",     "--input", "1,3,8,8",   "--filters",
                      "6",       "--kernel", "3",       "--machine", "tiny"};
  const json report = json_of(conv);
  const json& runs = report.at("candidates").at("runs");
  EXPECT_EQ(runs[0].at("cycles"), report.at("cycles").at("total"));
  EXPECT_GT(runs.size(), 2U);
  for (const json& run : runs) {
    if (run.at("decisions") != json::array({"all taps apart"})) continue;
    const Words apart = Words{"conv"} + Words(conv.begin() + 2, conv.end()) +
                        Words{"--taps", "apart", "--engine", "analytic"};
    EXPECT_EQ(run.at("cycles"), json_of(apart).at("cycles").at("total"));
  }
  EXPECT_TRUE(json_of(conv + Words{"--sweep", "k=1..3"}).at("candidates").is_null());
}

}  // namespace
}  // namespace weft::test
