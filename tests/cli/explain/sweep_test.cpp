// Tests the padding cliff. Each point of `weft explain --sweep` equals the run of `weft matmul` of
// that size. A step is marked exactly where a new tile or chunk begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

json sweep_of(const Words& sizes, const Words& machine, const std::string& request) {
  return json_of(Words{"explain"} + sizes + machine + Words{"--sweep", request}).at("sweep");
}

/// Compares each point with `weft matmul` of its size. Returns the number of marked steps.
int check_points(const json& sweep, Words sizes, std::size_t dimension, const Words& machine) {
  int cliffs = 0;
  json before;
  std::uint64_t last = 0;
  for (const json& point : sweep.at("points")) {
    const auto size = point.at("size").get<std::uint64_t>();
    sizes[dimension] = std::to_string(size);
    SCOPED_TRACE(sizes[0] + " " + sizes[1] + " " + sizes[2]);
    const json run = json_of(Words{"matmul"} + sizes + machine + Words{"--engine", "analytic"});
    EXPECT_EQ(point.at("cycles"), run.at("cycles").at("total"));
    EXPECT_EQ(point.at("utilization"), run.at("utilization"));
    EXPECT_EQ(point.at("waste"), run.at("plan").at("padding_waste"));
    EXPECT_EQ(point.at("folds"), run.at("plan").at("folds"));
    if (last + 1 == size && last > 0) {
      const char* tiles[] = {"m_chunks", "k_tiles", "n_tiles"};
      EXPECT_EQ(point.at("cliff"),
                run.at("plan").at(tiles[dimension]) > before.at(tiles[dimension]));
    }
    cliffs += point.at("cliff").get<bool>() ? 1 : 0;
    before = run.at("plan");
    last = size;
  }
  return cliffs;
}

TEST(ExplainSweepTest, EveryPointIsTheRunOfThatSize) {
  const Words machine = {"--machine", "tiny"};
  // N and K step at 5, 9, 13 and 17. M steps where the buffers are full.
  EXPECT_EQ(check_points(sweep_of({"5", "6", "7"}, machine, "n=1..20"), {"5", "6", ""}, 2, machine),
            4);
  EXPECT_EQ(check_points(sweep_of({"5", "6", "7"}, machine, "k=3..18"), {"5", "", "7"}, 1, machine),
            4);
  EXPECT_GT(check_points(sweep_of({"5", "6", "7"}, machine, "m=1..80"), {"", "6", "7"}, 0, machine),
            0);
}

TEST(ExplainSweepTest, RandomMachinesToo) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    const Words machine = words_of(draw_keys(draw));
    const Words sizes = {"7", "9", std::to_string(draw.between(1, 30))};
    check_points(sweep_of(sizes, machine, "k=1..20:3"), {"7", "", sizes[2]}, 1, machine);
  }
}

// --- Convolutions --------------------------------------------------------------------------------

struct SweptConv {
  const char* request;
  const char* flag;  // the swept option, with the text before and after the swept number
  const char* before;
  const char* behind;
  std::uint64_t tile;  // 0: no steps
};

TEST(ExplainSweepTest, EveryPointOfAConvolutionIsTheRunOfThatSize) {
  const Words shared = {"--kernel", "3", "--pad", "1", "--machine", "tiny"};
  constexpr SweptConv kSwept[] = {{"m=1..3", "--input", "", ",6,8,8", 0},
                                  {"k=3..9", "--input", "1,", ",8,8", 4},
                                  {"n=2..9", "--filters", "", "", 4}};
  int packed = 0;
  for (const SweptConv& swept : kSwept) {
    SCOPED_TRACE(swept.request);
    const std::string flag = swept.flag;
    const Words fixed = flag == "--input" ? Words{"--filters", "6"} : Words{"--input", "1,6,8,8"};
    const std::string base = flag == "--input" ? "1,6,8,8" : "6";
    const json sweep = json_of(Words{"explain", "conv"} + fixed + Words{flag, base} + shared +
                               Words{"--sweep", swept.request})
                           .at("sweep");
    EXPECT_EQ(sweep.at("workload"), "convolution");
    ASSERT_GE(sweep.at("points").size(), 3U);
    for (const json& point : sweep.at("points")) {
      const auto size = point.at("size").get<std::uint64_t>();
      SCOPED_TRACE(size);
      const std::string value = swept.before + std::to_string(size) + swept.behind;
      const json run = json_of(Words{"conv"} + fixed + Words{flag, value} + shared +
                               Words{"--engine", "analytic"});
      EXPECT_EQ(point.at("cycles"), run.at("cycles").at("total"));
      EXPECT_DOUBLE_EQ(point.at("utilization").get<double>(), run.at("utilization").get<double>());
      const double issued = run.at("macs").at("issued").get<double>();
      EXPECT_DOUBLE_EQ(point.at("waste").get<double>(),
                       1 - run.at("macs").at("useful").get<double>() / issued);
      // Channels have no tiles of their own if the taps are packed.
      const bool is_packed = run.at("layers")[0].dump().find("side by side") != std::string::npos;
      const bool has_tiles = swept.tile != 0 && !(is_packed && flag == "--input");
      packed += is_packed ? 1 : 0;
      EXPECT_EQ(point.at("cliff").get<bool>(), has_tiles && size > 1 && size % swept.tile == 1);
    }
  }
  EXPECT_GT(packed, 3);
}

TEST(ExplainSweepTest, AConvolutionThatTheGroupsDoNotDivideIsRefused) {
  const Finished finished =
      run_weft({"explain", "conv", "--input", "1,4,8,8", "--filters", "4", "--groups", "4",
                "--kernel", "3", "--machine", "tiny", "--sweep", "k=1..9"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("--groups 4"), std::string::npos) << finished.err;
}

// --- Keys of the machine, and the batch ----------------------------------------------------------

/// Compares each point with the run at its value; `option` is what the sweep varies.
void check_values(const json& sweep, const Words& run, const std::string& option) {
  for (const json& point : sweep.at("points")) {
    const double value = point.at("size");
    const std::string text = value == std::floor(value)
                                 ? std::to_string(static_cast<std::int64_t>(value))
                                 : std::to_string(value);
    SCOPED_TRACE(option + " " + text);
    const json report = json_of(run + Words{"--" + option, text, "--engine", "analytic"});
    EXPECT_EQ(point.at("cycles"), report.at("cycles").at("total"));
    EXPECT_DOUBLE_EQ(point.at("seconds").get<double>(), report.at("seconds").get<double>());
    EXPECT_DOUBLE_EQ(point.at("utilization").get<double>(), report.at("utilization").get<double>());
    const json& macs = report.at("macs");
    EXPECT_DOUBLE_EQ(point.at("waste").get<double>(),
                     1 - macs.at("useful").get<double>() / macs.at("issued").get<double>());
    EXPECT_TRUE(point.at("why").is_null());
    if (option != "batch") continue;
    EXPECT_DOUBLE_EQ(point.at("cycles_per_image").get<double>(),
                     report.at("cycles").at("total").get<double>() / value);
  }
}

TEST(ExplainSweepTest, EveryValueOfAKeyIsARun) {
  const Words tiny = {"--machine", "tiny"};
  const json rows =
      json_of(Words{"explain", "matmul", "5", "6", "7", "--sweep", "array.rows=2..8:3"} + tiny);
  EXPECT_EQ(rows.at("sweep").at("points").size(), 3U);
  EXPECT_EQ(rows.at("sweep").at("dimension"), "array.rows");
  check_values(rows.at("sweep"), Words{"matmul", "5", "6", "7"} + tiny, "array.rows");
  const json rates = json_of(Words{"explain", "5", "6", "7", "--memory.kind", "shared", "--sweep",
                                   "memory.gb_per_s=0.5..1.25:0.25"} +
                             tiny);
  ASSERT_EQ(rates.at("sweep").at("points").size(), 4U);
  EXPECT_EQ(rates.at("sweep").at("points")[1].at("size"), 0.75);
  EXPECT_EQ(rates.at("sweep").at("step"), 0.25);
  EXPECT_TRUE(rows.at("sweep").at("points")[0].at("size").is_number_integer());
  EXPECT_TRUE(rows.at("sweep").at("step").is_number_integer());
  check_values(rates.at("sweep"), Words{"matmul", "5", "6", "7", "--memory.kind", "shared"} + tiny,
               "memory.gb_per_s");
  const Words conv = {"--input", "1,3,8,8", "--filters", "4", "--kernel", "3"};
  const json cols = json_of(Words{"explain", "conv", "--sweep", "array.cols=2..4"} + conv + tiny);
  check_values(cols.at("sweep"), Words{"conv"} + conv + tiny, "array.cols");
}

TEST(ExplainSweepTest, ANetworkIsSweptOverItsBatchAndOverKeys) {
  const Words network = {"lenet5", "--machine", "tpu-v2", "--optimize", "0"};
  const json batches = json_of(Words{"explain"} + network + Words{"--sweep", "batch=1..3"});
  EXPECT_EQ(batches.at("sweep").at("workload"), "network");
  ASSERT_EQ(batches.at("sweep").at("points").size(), 3U);
  EXPECT_EQ(batches.at("sweep").at("points")[1].at("size").dump(), "2");
  check_values(batches.at("sweep"), Words{"run"} + network, "batch");
  const json rates =
      json_of(Words{"explain"} + network + Words{"--sweep", "memory.gb_per_s=100..400:300"});
  check_values(rates.at("sweep"), Words{"run"} + network, "memory.gb_per_s");
}

// 1 KiB of unified buffer holds no rows of 128 bf16 numbers for LeNet-5's windows.
TEST(ExplainSweepTest, AValueThatDoesNotRunSaysWhy) {
  const Words words = {"explain", "lenet5",  "--machine",
                       "tpu-v2",  "--sweep", "unified_buffer.kib=1..65:64"};
  const json points = json_of(words).at("sweep").at("points");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_TRUE(points[0].at("cycles").is_null());
  EXPECT_NE(points[0].at("why").get<std::string>().find("unified_buffer.kib = 1"),
            std::string::npos);
  EXPECT_GT(points[1].at("cycles"), 0);
  const std::string out = run_weft(words).out;
  EXPECT_NE(out.find("unified_buffer.kib = 1: too small for"), std::string::npos) << out;
  EXPECT_EQ(out.find("kib = 1: unified_buffer"), std::string::npos) << out;
  const Finished none = run_weft({"explain", "5", "6", "7", "--sweep", "array.rows=5000..5001"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "weft: --sweep: no value runs; array.rows = 5000: must be 1..4096\n");
}

TEST(ExplainSweepTest, TheMachineIsWrittenInEveryForm) {
  const TemporaryFolder folder;
  const Words machine = {"--machine", "tiny", "--array.rows", "6"};
  const Words conv = {"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "3"};
  ASSERT_EQ(
      run_weft(Words{"matmul", "1", "1", "1", "--machine-out", folder.file("own.ini")} + machine)
          .code,
      0);
  for (const Words& form :
       {Words{"5", "6", "7"}, Words{"5", "6", "7", "--sweep", "n=4..5"},
        Words{"5", "6", "7", "--sweep", "array.cols=4..5"}, conv + Words{"--sweep", "n=4..5"},
        Words{"lenet5", "--optimize", "0", "--sweep", "batch=1..2"},
        Words{"lenet5", "--optimize", "0", "--sweep", "array.cols=4..5"},
        Words{"lenet5", "--optimize", "0", "--layer", "f6"}}) {
    SCOPED_TRACE(form.back());
    const std::string file = folder.file("form.ini");
    const Finished finished =
        run_weft(Words{"explain"} + form + machine + Words{"--machine-out", file});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(folder.read("form.ini"), folder.read("own.ini"));
    std::filesystem::remove(file);
  }
  for (const char* name : {"", "-"}) {
    EXPECT_EQ(run_weft({"explain", "lenet5", "--sweep", "batch=1..2", "--machine-out", name}).code,
              2);
  }
}

TEST(ExplainSweepTest, TheHelpSaysWhatTheFilesHave) {
  const std::string help = run_weft({"explain", "lenet5", "--sweep", "batch=1..2", "--help"}).out;
  EXPECT_NE(help.find("a line for each value"), std::string::npos) << help;
  EXPECT_EQ(help.find("each layer"), std::string::npos) << help;
  EXPECT_EQ(help.find("timeline"), std::string::npos) << help;
}

TEST(ExplainSweepTest, WordsAfterTwoDashesAreNoOptions) {
  for (const Words& words :
       {Words{"explain", "5", "6", "7", "--", "--sweep", "matmul"},
        Words{"explain", "lenet5", "--", "--sweep", "batch=1..2"},
        Words{"explain", "lenet5", "--", "--layer", "c1"}, Words{"explain", "5", "--", "--why"}}) {
    const Finished refused = run_weft(words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
}

TEST(ExplainSweepTest, AKeyTakesTheValuesOfASweep) {
  const json range = sweep_of({"40", "50", "60"}, {"--machine", "tiny"}, "array.rows=4..32:4");
  const json list = sweep_of({"40", "50", "60"}, {"--machine", "tiny"}, "array.rows=28,4..16*2");
  EXPECT_EQ(range.at("step"), 4);
  EXPECT_TRUE(list.at("step").is_null());
  ASSERT_EQ(list.at("points").size(), 4);
  const json& all = range.at("points");
  EXPECT_EQ(list.at("points"), json::array({all[6], all[0], all[1], all[3]}));
}

TEST(ExplainSweepTest, WhatIsNoRangeOfAKeyIsRefusedInOneLine) {
  const std::vector<std::pair<Words, std::string>> refused = {
      {{"5", "6", "7", "--sweep", "array.dtype=1..2"}, "is no number"},
      {{"5", "6", "7", "--sweep", "array.row=1..2"}, "did you mean array.rows?"},
      {{"5", "6", "7", "--sweep", "array.rows=8"}, "has no range"},
      {{"5", "6", "7", "--sweep", "array.rows=8..4"}, "smaller value first"},
      {{"5", "6", "7", "--sweep", "array.rows=1..x"}, "'x' is no number"},
      {{"5", "6", "7", "--sweep", "array.rows=1..8:0"}, "the step is 0"},
      {{"5", "6", "7", "--sweep", "array.rows=1..4000:1"}, "more than 500 points"},
      {{"5", "6", "7", "--sweep", "array.rows=1..4000+1"}, "more than 500 points"},
      {{"5", "6", "7", "--sweep", "array.rows=4,x"}, "'x' is no number"},
      {{"5", "6", "7", "--sweep", "array.rows=8..4*2"}, "ends before it begins"},
      {{"5", "6", "7", "--sweep", "array.rows=4..8*1"}, "the step leads nowhere"},
      {{"5", "6", "7", "--sweep", "batch=1..2"}, "a product has none"},
      {{"lenet5", "--sweep", "n=1..2"}, "a network has batch"},
      {{"lenet5", "--sweep", "batch=0..2"}, "from 1 to"},
      {{"lenet5", "--sweep", "batch=1..2", "--batch", "2"}, "is swept"},
      {{"nosuch", "--sweep", "batch=1..2"}, "nosuch"}};
  for (const auto& [words, part] : refused) {
    const Finished finished = run_weft(Words{"explain"} + words);
    SCOPED_TRACE(part);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
  }
}

// --- Ranges --------------------------------------------------------------------------------------

TEST(ExplainSweepTest, ALongRangeIsThinnedOutButNotAtTheSteps) {
  const json sweep = sweep_of({"64", "64", "64"}, {"--machine", "edge-tpu"}, "n=1..1000");
  std::set<std::uint64_t> sizes;
  for (const json& point : sweep.at("points")) sizes.insert(point.at("size").get<std::uint64_t>());
  EXPECT_EQ(sweep.at("step"), 10);  // a hundred points
  for (std::uint64_t size = 1; size <= 1000; size += 10) EXPECT_TRUE(sizes.contains(size)) << size;
  for (std::uint64_t whole = 64; whole < 1000; whole += 64) {
    EXPECT_TRUE(sizes.contains(whole) && sizes.contains(whole + 1)) << whole;
  }
  EXPECT_TRUE(sizes.contains(1000));
}

TEST(ExplainSweepTest, TheTableHasALineForEachSize) {
  const std::string text =
      run_weft({"explain", "5", "6", "7", "--machine", "tiny", "--sweep", "n=4..6"}).out;
  EXPECT_NE(text.find("\n  4      2  25.0 %      29  25.9 %  #####\n"), std::string::npos) << text;
  EXPECT_NE(text.find("<- one past 1 tile of 4\n"), std::string::npos) << text;
}

TEST(ExplainSweepTest, WhatIsNoRangeIsRefusedInOneLine) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"n=9..3", "9 down to 3"},
      {"n=0..3", "from 1 to 1099511627776"},
      {"n=3..0", "from 1 to 1099511627776"},
      {"n=1..x", "'x'"},
      {"n=1..", "''"},
      {"n=-1..4", "'-1'"},
      {"n=1..4:0", "'0'"},
      {"n=1..99999999999999", "1099511627776"},
      {"n=1..100000:1", "at most 500"},
      {"n=1..1000000000000", "instructions"},
      {"q=1..4", "m=LO..HI"},
      {"nn=1..4", "m=LO..HI"},
      {"1..4", "m=LO..HI"},
      {"n=4", "m=LO..HI"},
      {"n=", "m=LO..HI"},
      {"", "m=LO..HI"},
      {"n..=3", "m=LO..HI"}};
  for (const auto& [request, part] : refused) {
    SCOPED_TRACE(request);
    const Finished finished =
        run_weft({"explain", "5", "6", "7", "--machine", "tiny", "--sweep", request});
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("--sweep"), std::string::npos) << finished.err;
  }
  const Finished steps = run_weft(
      {"explain", "5", "6", "7", "--machine", "tiny", "--sweep", "n=1..4", "--steps", "3"});
  EXPECT_EQ(steps.code, 2);
  EXPECT_NE(steps.err.find("remove one of them"), std::string::npos) << steps.err;
}

TEST(ExplainSweepTest, StepsMustBeANumberOrAll) {
  for (const char* steps : {"0", "-1", "x", "99999999999", ""}) {
    const Finished finished = run_weft({"explain", "5", "6", "7", "--steps", steps});
    EXPECT_EQ(finished.code, 2) << steps;
    EXPECT_NE(finished.err.find("--steps"), std::string::npos) << finished.err;
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
  }
}

}  // namespace
}  // namespace weft::test
