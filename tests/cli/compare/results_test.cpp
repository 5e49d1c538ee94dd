// Tests `weft compare A.json B.json`: values are those of the reports, differences are theirs, and
// files that are no results are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class CompareResultsTest : public testing::Test {
 protected:
  std::string report(const std::string& name, const Words& words) {
    const std::string file = folder_.file(name);
    const Finished finished = run_weft(words + Words{"--quiet", "--json", file});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return file;
  }

  json read(const std::string& name) { return json::parse(folder_.read(name)); }

  static json compared(const std::string& a, const std::string& b) {
    const Finished finished = run_weft({"compare", a, b, "--json", "-"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    const json all = json::parse(finished.out, nullptr, false);
    EXPECT_EQ(all.at("schema"), 1);
    return all.at("results");
  }

  static void expect_refused(const Words& words, const Words& parts) {
    SCOPED_TRACE(words.back());
    const Finished finished = run_weft(Words{"compare"} + words);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in " << finished.err;
    }
  }

  TemporaryFolder folder_;
};

const Words kProduct = {"matmul", "20", "30", "17", "--machine", "tiny"};

/// Each row has the value of both reports and the difference between them.
void expect_rows(const json& rows, const json& a, const json& b) {
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto key = row.at("key").get<std::string>();
    if (!a.contains(key)) continue;
    EXPECT_EQ(row.at("a"), a.at(key));
    EXPECT_EQ(row.at("b"), b.at(key));
    const double difference = b.at(key).get<double>() - a.at(key).get<double>();
    EXPECT_DOUBLE_EQ(row.at("difference").get<double>(), difference);
    if (a.at(key) == 0) {
      EXPECT_EQ(row.at("change"), b.at(key) == 0 ? json(0) : json(nullptr));
    } else {
      EXPECT_DOUBLE_EQ(row.at("change").get<double>(), difference / a.at(key).get<double>());
    }
  }
}

TEST_F(CompareResultsTest, ShowsTheValuesOfBothReportsAndTheirDifference) {
  const std::string a = report("a.json", kProduct);
  const std::string b =
      report("b.json", kProduct + Words{"--memory.kind", "shared", "--memory.gb_per_s", "0.5",
                                        "--clock_mhz", "250", "--array.rows", "7"});
  const json results = compared(a, b);
  const json first = read("a.json");
  const json second = read("b.json");
  EXPECT_EQ(results.at("kind"), "product");
  EXPECT_EQ(results.at("ledger").size(), 9U);
  expect_rows(results.at("ledger"), first.at("cycles"), second.at("cycles"));
  expect_rows(results.at("traffic"), first.at("traffic"), second.at("traffic"));
  EXPECT_EQ(results.at("traffic").size(), 4U);
  std::set<std::string> seen;
  for (const json& row : results.at("main")) {
    const auto key = row.at("key").get<std::string>();
    seen.insert(key);
    if (key != "total") continue;
    expect_rows(json::array({row}), first.at("cycles"), second.at("cycles"));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"total", "bound", "bound_share", "seconds", "utilization",
                                         "padding_waste", "ops_per_second", "useful_macs",
                                         "issued_macs"}));
  for (const json& row : results.at("main")) {
    if (row.at("key") == "seconds" || row.at("key") == "utilization") {
      const auto key = row.at("key").get<std::string>();
      EXPECT_DOUBLE_EQ(row.at("a").get<double>(), first.at(key).get<double>());
      EXPECT_DOUBLE_EQ(row.at("b").get<double>(), second.at(key).get<double>());
    }
    if (row.at("key") == "bound") {
      EXPECT_EQ(row.at("a"), first.at("bound").at("cycles"));
      EXPECT_EQ(row.at("b"), second.at("bound").at("cycles"));
    }
    if (row.at("key") == "bound_share") {
      EXPECT_DOUBLE_EQ(row.at("a").get<double>(), 1 / first.at("bound").at("ratio").get<double>());
    }
    if (row.at("key") == "padding_waste") {
      EXPECT_DOUBLE_EQ(row.at("b").get<double>(),
                       second.at("plan").at("padding_waste").get<double>());
    }
    if (row.at("key") == "ops_per_second") {
      EXPECT_NEAR(row.at("b").get<double>(), 1e12 * second.at("tops").get<double>(), 1);
    }
  }
}

// --- Energy, area and price ----------------------------------------------------------------------

TEST_F(CompareResultsTest, ShowsEnergyAreaAndPriceOfBothReports) {
  const std::string a =
      report("a.json", kProduct + Words{"--energy", "45nm", "--price-per-hour", "1.2"});
  const std::string b = report(
      "b.json", kProduct + Words{"--energy", "45nm", "--price-per-hour", "3", "--array.rows", "7"});
  const json results = compared(a, b);
  std::set<std::string> seen;
  for (const json& row : results.at("cost")) {
    const auto key = row.at("key").get<std::string>();
    seen.insert(key);
    const char* const part = key.starts_with("per_") ? "price" : "energy";
    ASSERT_TRUE(read("a.json").at(part).contains(key)) << key;
    expect_rows(json::array({row}), read("a.json").at(part), read("b.json").at(part));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"joules", "watts", "pj_per_mac", "array_mm2", "per_hour",
                                         "per_million"}));
  EXPECT_EQ(results.at("cost_notes"), json::array());
  const std::string text = run_weft({"compare", a, b}).out;
  // 1.2 and 3 an hour: 1.8 more, which is half as much again as 1.2.
  const std::string line = text.substr(std::min(text.find("\n  price an hour "), text.size()));
  std::istringstream words(line.substr(0, line.find('\n', 1)));
  EXPECT_EQ(Words(std::istream_iterator<std::string>(words), {}),
            (Words{"price", "an", "hour", "1.2", "3", "+1.8", "+150.0", "%"}))
      << text;
}

TEST_F(CompareResultsTest, ADashInTheCostHasItsReason) {
  const std::string plain = report("plain.json", kProduct);
  const std::string priced =
      report("priced.json", kProduct + Words{"--energy", "28nm", "--price-per-hour", "2"});
  const json results = compared(plain, priced);
  ASSERT_EQ(results.at("cost").size(), 6U);
  for (const json& row : results.at("cost")) {
    EXPECT_TRUE(row.at("a").is_null() && row.at("difference").is_null()) << row;
    EXPECT_FALSE(row.at("b").is_null()) << row;
  }
  EXPECT_EQ(results.at("cost_notes"),
            json::array({"A has no energy: its run was without --energy.",
                         "A has no price: its run was without --price-per-hour."}));
  const std::string text = run_weft({"compare", priced, plain}).out;
  EXPECT_NE(text.find("  B has no energy: its run was without --energy.\n"), std::string::npos)
      << text;
  EXPECT_EQ(compared(plain, plain).at("cost"), json::array());
}

TEST_F(CompareResultsTest, TablesOfEnergiesThatDifferAreNamed) {
  std::string table = run_weft({"machines", "--energy", "45nm"}).out;
  table.erase(table.find("[area]"));
  table.replace(table.find("name = 45nm"), 11, "name = mine");
  const std::string mine = folder_.write("mine.ini", table);
  const std::string a = report("a.json", kProduct + Words{"--energy", mine});
  const std::string b = report("b.json", kProduct + Words{"--energy", "45nm"});
  const json results = compared(a, b);
  EXPECT_THAT(results.at("cost_notes"),
              ElementsAre(HasSubstr("A has no area: the energies of 'mine "),
                          AllOf(HasSubstr("The energies differ: A has those of 'mine "),
                                EndsWith("', B those of '45nm'."))));
  const json& joules = results.at("cost").at(0);
  EXPECT_EQ(joules.at("difference"), 0);  // the same energies under two names
  EXPECT_EQ(joules.at("unit"), "J");
}

TEST_F(CompareResultsTest, ListsTheKeysThatWereChangedAndNoOthers) {
  const std::string a = report("a.json", kProduct);
  const std::string b =
      report("b.json", kProduct + Words{"--array.cols", "5", "--memory.kind", "shared",
                                        "--vector.latency_cycles", "3"});
  const json keys = compared(a, b).at("machine_differences");
  const json wanted = json::array({{{"key", "array.cols"}, {"a", "4"}, {"b", "5"}},
                                   {{"key", "memory.kind"}, {"a", "ideal"}, {"b", "shared"}},
                                   {{"key", "vector.latency_cycles"}, {"a", "1"}, {"b", "3"}}});
  EXPECT_EQ(keys, wanted);
  EXPECT_EQ(compared(a, a).at("machine_differences"), json::array());
}

TEST_F(CompareResultsTest, PutsLayersOfOneNameSideBySide) {
  const std::string a = report("a.json", {"run", "lenet5", "--machine", "tiny"});
  const std::string b =
      report("b.json", {"run", "lenet5", "--machine", "tiny", "--array.dtype", "bf16"});
  const json results = compared(a, b);
  for (const char* run : {"a", "b"}) {
    const json recorded = read(std::string(run) + ".json");
    std::vector<json> found;
    for (const json& layer : results.at("layers")) {
      if (layer.at(run).is_null()) continue;
      found.push_back({{"name", layer.at("name")}, {"cycles", layer.at(run).at("cycles")}});
    }
    ASSERT_EQ(found.size(), recorded.at("layers").size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].at("name"), recorded.at("layers")[i].at("name"));
      EXPECT_EQ(found[i].at("cycles"), recorded.at("layers")[i].at("cycles"));
    }
  }
  const auto alone = std::ranges::count_if(
      results.at("layers"), [](const json& layer) { return layer.at("b").is_null(); });
  EXPECT_GT(alone, 0);  // quantizing adds layers
  EXPECT_LT(alone, static_cast<std::ptrdiff_t>(results.at("layers").size()));
}

TEST_F(CompareResultsTest, PrintsSignsPercentagesAndNamesOfBoth) {
  const std::string a = report("a.json", kProduct);
  const std::string b =
      report("b.json", kProduct + Words{"--machine.name", "mine", "--array.double_buffer", "off"});
  const Finished finished = run_weft({"compare", a, b});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const std::int64_t before = read("a.json").at("cycles").at("total");
  const std::int64_t after = read("b.json").at("cycles").at("total");
  ASSERT_GT(after, before);
  for (const std::string& part :
       {std::string("product 20 x 30 x 17: B takes ") + std::to_string(after - before),
        "A: " + a + ": tiny", "B: " + b + ": mine", "+" + std::to_string(after - before),
        std::string("array.double_buffer  on    off"), std::string(" %")}) {
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << " in\n" << finished.out;
  }
  EXPECT_EQ(run_weft({"compare", a, b, "--quiet"}).out, "");
}

TEST_F(CompareResultsTest, AcceptsReportsOfEveryKindOfRun) {
  const Words conv = {"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "3"};
  const std::vector<Words> runs = {kProduct,
                                   Words{"explain"} + Words(kProduct.begin() + 1, kProduct.end()),
                                   conv + Words{"--machine", "tiny"},
                                   Words{"explain"} + conv + Words{"--machine", "tiny"},
                                   {"run", "digits-mlp", "--engine", "analytic"}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SCOPED_TRACE(runs[i].front());
    const std::string file = folder_.file(std::to_string(i) + ".json");
    const Finished finished = run_weft(runs[i] + Words{"--json", file});
    ASSERT_EQ(finished.code, 0) << finished.err;
    const json results = compared(file, file);
    for (const json& row : results.at("ledger")) EXPECT_EQ(row.at("difference"), 0);
  }
}

TEST_F(CompareResultsTest, RefusesWhatIsNoResult) {
  const std::string a = report("a.json", kProduct);
  const std::string text = folder_.read("a.json");
  const auto refused = [&](const std::string& content, const Words& parts) {
    const std::string bad = folder_.write("bad.json", content);
    expect_refused({a, bad}, Words{"bad.json"} + parts);
    expect_refused({bad, a}, Words{"bad.json"} + parts);
  };
  for (const std::size_t size : {std::size_t{0}, text.size() / 3, text.size() - 3}) {
    refused(text.substr(0, size), {size == 0 ? "it is empty" : "it is not JSON"});
  }
  refused("[1, 2]", {"is not an object"});
  refused("{\"a\": 1}", {"is not a --json report of a weft run"});
  json other = read("a.json");
  other["schema"] = 2;
  refused(other.dump(), {"schema 2, but this weft reads schema 1"});
  other = read("a.json");
  other["cycles"]["idle"] = other["cycles"]["idle"].get<int>() + 1;
  refused(other.dump(), {"cycles.total", "sum to"});
  refused(run_weft({"run", "digits-mlp", "--backend", "cpu", "--json", "-"}).out,
          {"has no cycles of a run"});
  refused(run_weft({"compare", "matmul", "8", "8", "8", "--with", "tiny", "--json", "-"}).out,
          {"has no cycles of a run"});
  const auto alone = [&](const std::string& content, const Words& parts) {
    expect_refused({folder_.write("bad.json", content)}, Words{"bad.json: "} + parts);
  };
  alone(text.substr(0, text.size() / 3), {"it is not JSON"});
  other = read("a.json");
  other["schema"] = 99;
  alone(other.dump(), {"schema 99, but this weft reads schema 1"});
  const std::string trace =
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 1, "dur": 2}]})";
  alone(trace, {"a trace of PyTorch's profiler", "--measured"});
  refused(trace, {"a trace of PyTorch's profiler", "--measured"});
  expect_refused({"lenet5", a},
                 {"'lenet5': is no result, but '", "a.json' is one; give two results"});
  expect_refused({a, "net.onnx"}, {"'net.onnx': is no result"});
  expect_refused({a, folder_.file("none.json")}, {"none.json", "no such file"});
}

TEST_F(CompareResultsTest, RefusesResultsOfDifferentKinds) {
  const std::string product = report("a.json", kProduct);
  const std::string network =
      report("n.json", {"run", "digits-mlp", "--machine", "tiny", "--engine", "analytic"});
  expect_refused({product, network}, {"product", "network", "give two of one kind"});
  expect_refused({network, product}, {"product", "network", "give two of one kind"});
}

TEST_F(CompareResultsTest, RefusesOptionsAndFilesThatMakeNoSense) {
  const std::string a = report("a.json", kProduct);
  const std::string before = folder_.read("a.json");
  expect_refused({a}, {"two --json reports"});
  expect_refused({a, a, a}, {"one argument too many"});
  expect_refused({a, a, "--with", "a100"}, {"--with: has no effect on two results"});
  expect_refused({a, a, "--csv", "-"}, {"--csv: has no effect on two results"});
  expect_refused({a, a, "--json", a}, {"--json would replace it"});
  expect_refused({a, a, "--html", a}, {"--html would replace it"});
  expect_refused({a, a, "--html", "-"}, {"--html -"});
  EXPECT_EQ(folder_.read("a.json"), before);
}

/// Replaces each value of a report in turn by odd ones: the command shows the result or refuses it
/// in one line, and never fails otherwise.
TEST_F(CompareResultsTest, SurvivesOddValuesInEveryPlace) {
  const std::string a = report("a.json", {"run", "digits-mlp", "--engine", "analytic", "--energy",
                                          "own", "--price-per-hour", "2"});
  const json plain = read("a.json");
  int accepted = 0;
  int refused = 0;
  const json places = plain.flatten();
  for (const auto& [place, value] : places.items()) {
    if (place.starts_with("/simulator") || place.starts_with("/layers/1")) continue;
    if (place.starts_with("/energy/") && place.find('/', 8) != std::string::npos) continue;
    for (const json& odd : {json(-1), json(1e300), json("<b>\n\x01"), json(nullptr)}) {
      json changed = plain;
      changed[json::json_pointer(place)] = odd;
      const std::string file = folder_.write("odd.json", changed.dump());
      const Finished finished = run_weft({"compare", a, file, "--json", "-"});
      SCOPED_TRACE(place + " = " + odd.dump() + ": " + finished.err);
      ASSERT_TRUE(finished.code == 0 || finished.code == 2) << finished.code;
      ASSERT_EQ(std::ranges::count(finished.err, '\n'), finished.code == 0 ? 0 : 1);
      ++(finished.code == 0 ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 50);  // keys that are not shown
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace weft::test
