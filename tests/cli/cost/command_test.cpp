// --energy and --price-per-hour: what users see, and what they are told about mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;

Json json_of(Words words) {
  words.insert(words.end(), {"--json", "-"});
  const Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 0) << finished.err;
  return Json::parse(finished.out);
}

std::string table_45nm() {
  const Finished finished = run_weft({"machines", "--energy", "45nm"});
  EXPECT_EQ(finished.code, 0);
  return finished.out;
}

double sum_of(const Json& list, const char* key) {
  double sum = 0;
  for (const Json& entry : list) sum += entry.at(key).get<double>();
  return sum;
}

TEST(CostTest, NothingIsSaidUnlessAsked) {
  const Json plain = json_of({"matmul", "5", "6", "7", "--machine", "tiny"});
  EXPECT_FALSE(plain.contains("energy"));
  EXPECT_FALSE(plain.contains("price"));
  EXPECT_EQ(run_weft({"matmul", "5", "6", "7", "--machine", "tiny"}).out.find("energy"),
            std::string::npos);
}

TEST(CostTest, EveryEngineHasTheSameEvents) {
  const Words words = {"matmul", "37", "22", "19", "--machine", "tiny", "--energy", "own"};
  const auto energy = [&](const char* engine) {
    Words all = words;
    all.insert(all.end(), {"--engine", engine});
    return json_of(all).at("energy");
  };
  const Json analytic = energy("analytic");
  for (const char* engine : {"fast", "timed", "stepped"}) EXPECT_EQ(energy(engine), analytic);
}

TEST(CostTest, EventsUnitsAndLayersSumToTheTotal) {
  for (const Words& words :
       {Words{"run", "lenet5", "--engine", "analytic", "--energy", "own"},
        Words{"run", "lenet5", "--energy", "28nm", "--machine", "tpu-v1"},
        Words{"conv", "--input", "1,3,9,9", "--filters", "5", "--kernel", "3", "--energy", "7nm"},
        Words{"explain", "300", "200", "100", "--energy", "own"},
        Words{"explain", "conv", "--input", "1,3,9,9", "--filters", "5", "--kernel", "3",
              "--energy", "own"}}) {
    const Json report = json_of(words);
    const Json& energy = report.at("energy");
    const double joules = energy.at("joules");
    ASSERT_GT(joules, 0);
    EXPECT_NEAR(sum_of(energy.at("events"), "joules"), joules, 1e-12 * joules);
    EXPECT_NEAR(sum_of(energy.at("layers"), "joules"), joules, 1e-9 * joules);
    double units = 0;
    for (const auto& [unit, own] : energy.at("units").items()) units += own.get<double>();
    EXPECT_NEAR(units, joules, 1e-12 * joules);
    EXPECT_NEAR(energy.at("watts"), joules / report.at("seconds").get<double>(),
                1e-9 * energy.at("watts").get<double>());
    const double macs = report.at("macs").at("useful");
    EXPECT_NEAR(energy.at("pj_per_mac"), joules * 1e12 / macs,
                1e-9 * energy.at("pj_per_mac").get<double>());
    EXPECT_NEAR(energy.at("pj_per_mac").get<double>() * energy.at("tops_per_watt").get<double>(), 2,
                1e-9);
    for (const Json& event : energy.at("events")) {
      EXPECT_NEAR(event.at("count").get<double>() * event.at("pj_each").get<double>() * 1e-12,
                  event.at("joules"), 1e-12 * joules);
    }
  }
}

TEST(CostTest, UsefulMacsAndPaddingAreThoseOfTheReport) {
  const Json report = json_of({"matmul", "9", "13", "21", "--machine", "tiny", "--energy", "own"});
  const Json& events = report.at("energy").at("events");
  EXPECT_EQ(events[0].at("count"), 9 * 13 * 21);
  EXPECT_EQ(events[0].at("count").get<int>() + events[1].at("count").get<int>(),
            report.at("macs").at("issued").get<int>());
}

// Four tiles of 4 x 4. A push moves 4 * 6 weights in the skew and 2 * 4 * 16 in the PEs, a swap 16.
TEST(CostTest, DoubleBufferingCostsNeitherAreaNorMoves) {
  const auto run = [](const char* mode) {
    return json_of({"matmul", "8", "8", "8", "--machine", "tiny", "--array.double_buffer", mode,
                    "--energy", "own"});
  };
  const Json on = run("on");
  const Json off = run("off");
  EXPECT_EQ(on.at("energy").at("array_mm2"), off.at("energy").at("array_mm2"));
  EXPECT_GT(off.at("cycles").at("total").get<int>(), on.at("cycles").at("total").get<int>());
  for (std::size_t i = 0; i < on.at("energy").at("events").size(); ++i) {
    const Json& event = on.at("energy").at("events")[i];
    if (event.at("event") == "idle_cycles") continue;
    EXPECT_EQ(event, off.at("energy").at("events")[i]);
    if (event.at("event") == "weight_moves") {
      EXPECT_EQ(event.at("count"), 4 * (24 + 128 + 16));
    }
  }
}

// 1.20 an hour and 37.2 us for a run: 1.2 / 3600 * 37.2e-6 * 1e6.
TEST(CostTest, APriceIsThatOfTheTime) {
  const Json report =
      json_of({"matmul", "5", "6", "7", "--machine", "tiny", "--price-per-hour", "1.20"});
  EXPECT_FALSE(report.contains("energy"));
  const double seconds = report.at("seconds");
  EXPECT_NEAR(report.at("price").at("per_million"), 1.2 / 3600 * seconds * 1e6, 1e-15);
  EXPECT_EQ(report.at("price").at("of"), "run");
  const Json batch =
      json_of({"run", "lenet5", "--engine", "analytic", "--batch", "8", "--price-per-hour", "2"});
  EXPECT_NEAR(batch.at("price").at("per_million"),
              2.0 / 3600 * batch.at("seconds").get<double>() * 1e6 / 8, 1e-12);
  EXPECT_EQ(batch.at("price").at("of"), "inference");
}

TEST(CostTest, AFileReplacesATable) {
  const TemporaryFolder folder;
  std::string text = table_45nm();
  text.replace(text.find("name = 45nm"), 11, "name = mine");
  text.replace(text.find("int8 = 0.2 "), 11, "int8 = 0.5 ");
  const std::string file = folder.write("mine.ini", text);
  const Json energy =
      json_of({"matmul", "5", "6", "7", "--machine", "tiny", "--energy", file}).at("energy");
  EXPECT_THAT(energy.at("table").get<std::string>(), testing::StartsWith("mine "));
  EXPECT_NEAR(energy.at("events")[0].at("pj_each"), 0.5 + 0.1, 1e-12);
}

TEST(CostTest, AnExecutedProgramThatDoesNotSayWhatItComputesHasOnlyMacs) {
  const TemporaryFolder folder;
  const Finished compiled = run_weft({"compile", "5", "6", "7", "--machine", "tiny"});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const std::string file = folder.write("p.weft", compiled.out);
  const Json known = json_of({"exec", file, "--machine", "tiny", "--energy", "own"});
  const Json product = json_of({"matmul", "5", "6", "7", "--machine", "tiny", "--energy", "own"});
  EXPECT_EQ(known.at("energy").at("events"), product.at("energy").at("events"));
}

// Jouppi et al., ISCA 2017: 28 W idle and 40 W busy a die, CNN0 active in 78.2 % of the cycles.
TEST(CostTest, Cnn0OnTpuV1IsAsFarFromTheMeasuredPowerAsThePageSays) {
  const Json report = json_of({"run", "cnn0", "--batch", "8", "--machine", "tpu-v1", "--engine",
                               "analytic", "--energy", "own"});
  const Json& energy = report.at("energy");
  EXPECT_NEAR(energy.at("static_joules").get<double>() / report.at("seconds").get<double>(), 28,
              1e-9);
  EXPECT_NEAR(energy.at("chip_watts").get<double>() / 40, 1.23, 0.005);
  const Json& cycles = report.at("cycles");
  EXPECT_NEAR(cycles.at("array_active").get<double>() / cycles.at("total").get<double>() / 0.782,
              1.21, 0.005);
}

TEST(CostTest, CompareMultipliesBoardPowerByModelledTime) {
  const Json report = json_of(
      {"compare", "matmul", "1000", "1000", "1000", "--with", "tpu-v2,a100", "--energy", "own"});
  const Json& rows = report.at("rows");
  EXPECT_NEAR(rows[1].at("joules"), 400 * rows[1].at("seconds").get<double>(), 1e-12);
  EXPECT_NEAR(rows[1].at("watts"), 400, 1e-9);
  EXPECT_EQ(rows[1].at("kind"), "modelled");
  const Json run = json_of({"matmul", "--engine", "analytic", "--energy", "own"});
  EXPECT_NEAR(rows[0].at("joules"), run.at("energy").at("joules"), 1e-12);
  const Json plain = json_of({"compare", "matmul", "10", "10", "10", "--with", "tpu-v2,a100"});
  EXPECT_FALSE(plain.at("rows")[0].contains("joules"));
}

TEST(CostTest, CompareOfAReportFromBeforeEnergyStillWorks) {
  const TemporaryFolder folder;
  Json report = json_of({"matmul", "5", "6", "7", "--machine", "tiny"});
  const std::string now = folder.write("now.json", report.dump());
  for (const char* key : {"power_node", "power_static_w", "power_memory"}) {
    ASSERT_EQ(report.at("machine").erase(key), 1U);
  }
  const std::string old = folder.write("old.json", report.dump());
  EXPECT_EQ(run_weft({"compare", old, now}).code, 0);
}

// --- Mistakes ------------------------------------------------------------------------------------

void expect_refused(const Words& words, const std::string& message) {
  const Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_NE(finished.err.find(message), std::string::npos) << finished.err;
}

TEST(CostTest, WrongTablesAreOneLine) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = table_45nm();
    text.replace(text.find(from), from.size(), to);
    return folder.write("bad.ini", text);
  };
  const std::array<std::array<std::string, 3>, 7> cases = {
      {{"bit = 0.003125", "", "register.bit is missing"},
       {"flip_flop_um2 = 4.522", "", "area.flip_flop_um2 is missing"},
       {"bit = 0.003125", "bit = 0.003125\nbyte = 1", "unknown event 'register.byte'"},
       {"unit = pJ", "unit = nJ", "table.unit = 'nJ': must be pJ"},
       {"int32 = 0.1", "int32 = -0.1", "add.int32 = '-0.1': must be a number"},
       {"int32 = 0.1", "int32 = 100000", "add.int32 = '100000': must be a number"},
       {"int32 = 0.1", "int32 = 0.1 pJ", "add.int32 = '0.1 pJ': must be a number"}}};
  for (const auto& [from, to, message] : cases) {
    const std::string file = with(from, to);
    for (const Words& words : {Words{"matmul", "5", "6", "7", "--machine", "tiny"},
                               Words{"explain", "5", "6", "7", "--machine", "tiny"},
                               Words{"run", "lenet5", "--engine", "analytic"},
                               Words{"compare", "matmul", "5", "6", "7", "--with", "tiny"}}) {
      Words all = words;
      all.insert(all.end(), {"--energy", file});
      expect_refused(all, message);
    }
  }
}

TEST(CostTest, WrongFlagsAreOneLine) {
  const TemporaryFolder folder;
  const std::string machine = folder.write("m.ini", "[array]\nrows = 4\ncols = 4\n");
  const std::string table = folder.write("t.ini", table_45nm());
  const Words small = {"matmul", "5", "6", "7", "--machine", "tiny"};
  const auto plus = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refused(plus(small, {"--energy", "3nm"}), "energy table '3nm': no such file");
  expect_refused(plus(small, {"--energy", "."}), "is a folder");
  expect_refused(plus(small, {"--energy"}), "--energy");
  expect_refused({"matmul", "5", "6", "7", "--machine", machine, "--energy", "own"},
                 "has no power.node; set it, or name a table");
  for (const char* price : {"-1", "free", "1e3", "2000000", "0.0000001", ""}) {
    expect_refused(plus(small, {"--price-per-hour", price}), "--price-per-hour");
  }
  expect_refused(plus(small, {"--energy", table, "--json", table}), "named by both --energy");
  expect_refused(plus(small, {"--energy", table, "--html", table}), "named by both --energy");
  expect_refused({"explain", "5", "6", "7", "--energy", table, "--json", table},
                 "named by both --energy and --json");
  expect_refused({"explain", "5", "6", "7", "--energy", table, "--csv", table},
                 "named by both --energy and --csv");
  expect_refused(
      {"compare", "matmul", "5", "6", "7", "--with", "tiny", "--energy", table, "--csv", table},
      "named by both --energy and --csv");
  expect_refused(plus(small, {"--energy", "own", "--quiet"}), "--quiet prints no summary");
  expect_refused({"explain", "5", "6", "7", "--energy", "own", "--sweep", "n=1..9"},
                 "--energy has no effect with --sweep");
  for (const auto& [words, form] : std::initializer_list<std::pair<Words, std::string>>{
           {{"explain", "lenet5", "--sweep", "batch=1..2"}, "--sweep"},
           {{"explain", "lenet5", "--layer", "c3"}, "--layer"},
           {{"explain", "--why", "a.json", "b.json"}, "--why"}}) {
    expect_refused(plus(words, {"--energy", "own"}),
                   "--energy has no effect with " + form + "; remove one of them");
    expect_refused(plus(words, {"--price-per-hour", "3"}),
                   "--price-per-hour has no effect with " + form + "; remove one of them");
    expect_refused(plus(words, {"--steps", "3"}), "--steps has no effect with " + form);
  }
  expect_refused({"run", "lenet5", "--backend", "cpu", "--energy", "own"},
                 "has no effect with --backend cpu");
  expect_refused({"compare", "matmul", "5", "6", "7", "--with", "cpu", "--energy", "own"},
                 "--with names none");
  expect_refused(plus(small, {"--power.node", "3nm"}), "must be none|45nm|28nm|16nm|7nm");
  expect_refused(plus(small, {"--power.static_w", "-3"}), "power.static_w");
}

}  // namespace
}  // namespace weft::test
