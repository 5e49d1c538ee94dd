// SCALE-Sim's reports: of a layer that is counted by hand, and of the one that SCALE-Sim's own
// tests hold.
#include <gtest/gtest.h>

#include <string>

#include "report/scalesim/scalesim_report.h"
#include "tests/cli/temporary_folder.h"

namespace weft::report {
namespace {

using imports::Dataflow;
using imports::ScaleSimConfig;
using imports::TopologyKind;

ScaleSimConfig config_of(std::uint32_t rows, std::uint32_t cols, Dataflow dataflow) {
  ScaleSimConfig config;
  config.rows = rows;
  config.cols = cols;
  config.dataflow = dataflow;
  config.ifmap_kib = config.filter_kib = config.ofmap_kib = 64;
  return config;
}

ScaleSimReport run(const ScaleSimConfig& config, const std::string& row, TopologyKind kind,
                   bool as_printed, bool better = false) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("t.csv", "header\n" + row + "\n");
  return {runtime::run_scalesim(config, imports::read_scalesim_topology(file, kind),
                                {.better = better}),
          as_printed};
}

/// A window of 2 x 2 over 3 x 3 words, 2 filters, on 2 x 2 PEs.
//
//   M = 2 * 2 positions, K = 4, N = 2: 2 folds, one above the other
//   a fold: 2 pushes, 4 rows, 1 + 1 cycles to the last PE = 8
ScaleSimReport by_hand(bool as_printed) {
  return run(config_of(2, 2, Dataflow::kWeightStationary), "c, 3, 3, 2, 2, 1, 2, 1,",
             TopologyKind::kConvolution, as_printed);
}

TEST(ScaleSimReportTest, ALayerCountedByHand) {
  const ScaleSimReport report = by_hand(false);
  const auto& layer = report.run.layers.front();
  EXPECT_EQ(layer.by_law, "");
  EXPECT_EQ(layer.cycles, 16U);
  EXPECT_GT(layer.with_transfers, layer.cycles);
  EXPECT_EQ(compute_report_csv(report),
            "LayerID, Total Cycles (incl. prefetch), Total Cycles, Stall Cycles, Overall Util %, "
            "Mapping Efficiency %, Compute Util %,\n0, " +
                std::to_string(layer.with_transfers) +
                // 4 * 4 * 2 MACs of 16 cycles * 4 PEs
                ", 16, 0, 50.0, 100.0, 50.0,\n");
  EXPECT_EQ(bandwidth_report_csv(report),
            "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, Avg OFMAP SRAM BW, "
            "Avg IFMAP DRAM BW, Avg FILTER DRAM BW, Avg OFMAP DRAM BW,\n"
            // 4 rows of 4 words, 8 weights, 2 folds of 4 x 2 sums; of the input 9 different words
            "0, 1.0, 0.5, 1.0, 0.5625, 0.5, 1.0,\n");
}

TEST(ScaleSimReportTest, AsPrintedIsOneCycleLessAndHasLongerFolds) {
  const ScaleSimFigures figures =
      scalesim_figures(by_hand(true).run.layers.front(), by_hand(true).run.config, true);
  EXPECT_EQ(figures.cycles, 15U);
  EXPECT_DOUBLE_EQ(figures.overall_util, 3200.0 / (15 * 4));
  EXPECT_DOUBLE_EQ(figures.compute_util, 3200.0 / (2 * 9 * 4));  // 8 + C - 1 cycles
  EXPECT_DOUBLE_EQ(figures.sram_ifmap, 16.0 / 15);
}

/// What the reports in SCALE-Sim 3's folder test/general hold, without DRAM and stalls.
struct Published {
  const char* name;
  Dataflow dataflow;
  const char* row;
  TopologyKind kind;
  std::uint64_t cycles;  // less the stalls
  double mapping_efficiency;
  double compute_util;
  double ifmap_words;  // the bandwidth times the cycles
  double filter_words;
  double ofmap_words;
};

class PublishedReportTest : public testing::TestWithParam<Published> {};

TEST_P(PublishedReportTest, IsEqual) {
  const Published& published = GetParam();
  const ScaleSimReport report =
      run(config_of(32, 32, published.dataflow), published.row, published.kind, true);
  const ScaleSimFigures figures =
      scalesim_figures(report.run.layers.front(), report.run.config, true);
  EXPECT_EQ(figures.cycles, published.cycles);
  EXPECT_DOUBLE_EQ(figures.mapping_efficiency, published.mapping_efficiency);
  EXPECT_NEAR(figures.compute_util, published.compute_util, 1e-12);
  const auto cycles = static_cast<double>(figures.cycles);
  EXPECT_NEAR(figures.sram_ifmap * cycles, published.ifmap_words, 1e-6);
  EXPECT_NEAR(figures.sram_filter * cycles, published.filter_words, 1e-6);
  EXPECT_NEAR(figures.sram_ofmap * cycles, published.ofmap_words, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Golden, PublishedReportTest,
    testing::Values(
        Published{"alexnet", Dataflow::kWeightStationary, "Conv1, 224, 224, 11, 11, 3, 96, 4,",
                  TopologyKind::kConvolution, 112283, 94.53125, 90.78000992063485, 3294225, 34848,
                  3484800},
        Published{"ws", Dataflow::kWeightStationary, "t, 256, 128, 256,", TopologyKind::kGemm,
                  52447 - 41248, 100, 67.19160104986877, 262144, 32768, 262144},
        Published{"is", Dataflow::kInputStationary, "t, 256, 128, 256,", TopologyKind::kGemm,
                  19984 - 5777, 100, 50.59288537549411, 65536, 262144, 262144},
        Published{"os", Dataflow::kOutputStationary, "t, 256, 128, 256,", TopologyKind::kGemm,
                  52447 - 42272, 100, 80.50314465408805, 262144, 262144, 34816}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(ScaleSimReportTest, OnlyTheLawKnowsStationaryOutputs) {
  const ScaleSimReport report =
      run(config_of(4, 4, Dataflow::kOutputStationary), "t, 5, 6, 7,", TopologyKind::kGemm, false);
  EXPECT_EQ(report.run.layers.front().cycles, 2U * 2 * (7 + 4 + 4 - 2));
  EXPECT_NE(report.run.layers.front().by_law, "");
  EXPECT_EQ(scalesim_json(report)["total"]["layers_by_law"], 1);
}

TEST(ScaleSimReportTest, LayersBeyondTheMachineAreLeftToTheLaw) {
  const auto why = [](const char* row) {
    return run(config_of(4, 4, Dataflow::kWeightStationary), row, TopologyKind::kGemm, false)
        .run.layers.front()
        .by_law;
  };
  EXPECT_NE(why("t, 20000000, 4, 4,").find("more rows"), std::string::npos);
  EXPECT_NE(why("t, 8, 400000, 800000,").find("more folds"), std::string::npos);
  EXPECT_EQ(why("t, 8, 8, 8,"), "");
}

TEST(ScaleSimReportTest, AnOperandLargerThanHalfItsSramComesAgain) {
  ScaleSimConfig config = config_of(4, 4, Dataflow::kWeightStationary);
  config.ifmap_kib = 1;  // 512 words are kept
  const auto words = [&](const char* row) {
    return run(config, row, TopologyKind::kGemm, false).run.layers.front().dram.ifmap;
  };
  EXPECT_EQ(words("t, 64, 8, 8,"), 512U);
  EXPECT_EQ(words("t, 65, 8, 8,"), 2U * 520);  // once for each of 2 column tiles
}

TEST(ScaleSimReportTest, DepthwiseLayersCountOnceForEachChannel) {
  const ScaleSimReport report = run(config_of(4, 4, Dataflow::kWeightStationary),
                                    "aDP, 4, 4, 2, 2, 3, 1, 1,", TopologyKind::kConvolution, false);
  // 9 positions, 4 rows, 1 column: 1 fold of 8 + 4 + 9 - 2 cycles.
  EXPECT_EQ(scalesim_totals(report).cycles, 3U * 19);
  EXPECT_EQ(scalesim_totals(report).layers, 3U);
  const std::string csv = compute_report_csv(report);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3);
  EXPECT_NE(csv.find("\n2, "), std::string::npos);
}

TEST(ScaleSimReportTest, BetterOverlapsTheFolds) {
  const ScaleSimReport report = run(config_of(4, 4, Dataflow::kWeightStationary), "t, 8, 8, 8,",
                                    TopologyKind::kGemm, false, true);
  const auto& layer = report.run.layers.front();
  EXPECT_EQ(layer.cycles, 4U * (8 + 4 + 8 - 2));
  // Double-buffered, docs/timing.md: R + (F - 1) max(M, R) + M + R + C - 2.
  EXPECT_EQ(layer.better->span, 4U + 3 * 8 + 8 + 6);
  EXPECT_EQ(layer.better->serial, layer.with_transfers);
  const Json json = scalesim_json(report);
  EXPECT_EQ(json["layers"][0]["better_cycles"], 42);
  EXPECT_EQ(json["layers"][0]["serial_run_cycles"], layer.with_transfers);
  EXPECT_EQ(json["total"]["better_run_cycles"], layer.better->cycles);
  const std::string text = scalesim_text(report, Style());
  EXPECT_NE(text.find("serial run  better run   gain"), std::string::npos) << text;
  EXPECT_NE(text.find("; serial run, better run: from the first load to the"), std::string::npos);
  EXPECT_EQ(text.find("both runs keep weights"), std::string::npos);
}

TEST(ScaleSimReportTest, BetterSaysThatItKeepsWeightsWhereTheDataflowDoesNot) {
  const ScaleSimReport report = run(config_of(4, 4, Dataflow::kOutputStationary), "t, 8, 8, 8,",
                                    TopologyKind::kGemm, false, true);
  const std::string text = scalesim_text(report, Style());
  EXPECT_NE(
      text.find("\nboth runs keep weights (ws); the column cycles is the array's span with os"),
      std::string::npos)
      << text;
}

TEST(ScaleSimReportTest, WithoutASerialProgramThereIsNoGain) {
  const ScaleSimReport report =
      run(config_of(1, 1, Dataflow::kWeightStationary), "t, 1, 3, 3,\nu, 9, 2, 2,",
          TopologyKind::kGemm, false, true);  // folds of 2 + 1 + 1 - 2 cycles
  EXPECT_EQ(report.run.layers.front().better->serial, std::nullopt);
  const Json json = scalesim_json(report);
  EXPECT_TRUE(json["layers"][0]["serial_run_cycles"].is_null());
  EXPECT_TRUE(json["layers"][1]["serial_run_cycles"].is_number());
  EXPECT_TRUE(json["total"]["serial_run_cycles"].is_null());
  EXPECT_NE(scalesim_text(report, Style()).find("-: only the law knows"), std::string::npos);
}

TEST(ScaleSimReportTest, TheWordsOfTheJsonAreThoseOfTheBandwidths) {
  const auto words = [](bool as_printed) {
    const ScaleSimReport report = run(config_of(4, 4, Dataflow::kOutputStationary), "t, 5, 6, 7,",
                                      TopologyKind::kGemm, as_printed);
    const ScaleSimFigures figures =
        scalesim_figures(report.run.layers.front(), report.run.config, as_printed);
    const Json json = scalesim_json(report);
    EXPECT_DOUBLE_EQ(json["layers"][0]["sram_words"]["ofmap"],
                     figures.sram_ofmap * static_cast<double>(figures.cycles));
    return json["layers"][0]["sram_words"]["ofmap"].get<int>();
  };
  EXPECT_EQ(words(false), 5 * 6);
  EXPECT_EQ(words(true), 5 * 6 + 4 * (4 + 4));  // R + C more for each of 2 x 2 folds
}

TEST(ScaleSimReportTest, SaysWhatIsIgnoredInWholeSentences) {
  ScaleSimReport report = by_hand(false);
  report.run.topology.header_is_layer = true;
  report.run.topology.ignored = {
      "a sentence of more than forty-eight letters, which a table would cut", "columns 9, 11"};
  const std::string text = scalesim_text(report, Style());
  EXPECT_NE(text.find("\nheader     line 1 of the topology looks like a layer, but is taken as the "
                      "header; write a header above it\nignored    topology: a sentence of more "
                      "than forty-eight letters, which a table would cut, columns 9, 11\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(scalesim_json(report)["scalesim"]["ignored"]["topology"][0],
            "line 1, which looks like a layer but stands where the header is");
  report.run.topology.header_is_layer = false;
  EXPECT_EQ(scalesim_text(report, Style()).find("\nnote "), std::string::npos);
  report.run.topology.header_is_conv = true;
  EXPECT_NE(scalesim_text(report, Style())
                .find("\nnote       the header is that of convolutions; -i gemm takes its columns "
                      "as M, N, K\n"),
            std::string::npos);
  EXPECT_EQ(scalesim_json(report)["scalesim"]["ignored"]["topology"][0],
            "the header, which is that of convolutions");
}

TEST(ScaleSimReportTest, ShowsNamesAsTheyAre) {
  const ScaleSimReport report =
      run(config_of(4, 4, Dataflow::kWeightStationary), "caf\u00E9, 8, 8, 8,\nplain, 8, 8, 8,",
          TopologyKind::kGemm, false);
  const std::string text = scalesim_text(report, Style());
  EXPECT_NE(text.find("\ncaf\u00E9   8 x 8 x 8"), std::string::npos) << text;
  EXPECT_NE(text.find("\nplain  8 x 8 x 8"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft::report
