#include "models/imports/scalesim_config.h"

#include <gtest/gtest.h>

#include "tests/cli/temporary_folder.h"
#include "tests/imports/refused.h"

namespace weft::imports {
namespace {

// As version 2 writes it.
constexpr const char* kVersion2 =
    "[general]\nrun_name = my run\n\n[architecture_presets]\nArrayHeight:    16\n"
    "ArrayWidth:     8\nIfmapSramSzkB:   64 \nFilterSramSzkB:  32\nOfmapSramSzkB:   16\n"
    "IfmapOffset:    0\nDataflow : is\nBandwidth : 10, 20\nMemoryBanks:   1\n\n"
    "[run_presets]\nInterfaceBandwidth: CALC ";

class ScaleSimConfigTest : public testing::Test {
 protected:
  ScaleSimConfig read(std::string_view text) {
    return read_scalesim_config(folder_.write("a.cfg", text));
  }
  std::string refused(std::string_view text) {
    return refusal([&] { read(text); });
  }
  static std::string with(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
  }

  test::TemporaryFolder folder_;
};

TEST_F(ScaleSimConfigTest, ReadsVersion2AndNamesWhatHasNoEffect) {
  const ScaleSimConfig config = read(kVersion2);
  EXPECT_EQ(config.run_name, "my run");
  EXPECT_EQ(config.rows, 16U);
  EXPECT_EQ(config.cols, 8U);
  EXPECT_EQ(config.ifmap_kib, 64U);
  EXPECT_EQ(config.filter_kib, 32U);
  EXPECT_EQ(config.ofmap_kib, 16U);
  EXPECT_EQ(config.dataflow, Dataflow::kInputStationary);
  EXPECT_EQ(config.bandwidth, std::nullopt);
  const std::vector<std::string> ignored = {"IfmapOffset", "Bandwidth", "MemoryBanks"};
  EXPECT_EQ(config.ignored, ignored);
}

TEST_F(ScaleSimConfigTest, TakesTheFirstBandwidthOfTheUser) {
  const ScaleSimConfig config = read(with(kVersion2, "CALC", "USER"));
  EXPECT_EQ(config.bandwidth, 10U);
  const std::vector<std::string> ignored = {"IfmapOffset", "MemoryBanks",
                                            "Bandwidth after its first number"};
  EXPECT_EQ(config.ignored, ignored);
  const std::string one = with(kVersion2, "10, 20", "10, ");  // a comma alone leaves nothing out
  const std::vector<std::string> others = {"IfmapOffset", "MemoryBanks"};
  EXPECT_EQ(read(with(one, "CALC", "USER")).bandwidth, 10U);
  EXPECT_EQ(read(with(one, "CALC", "USER")).ignored, others);
}

TEST_F(ScaleSimConfigTest, ReadsVersion1WithQuotesAndWithoutRunPresets) {
  const ScaleSimConfig config = read(
      "[general]\nrun_name = \"eyeriss\"\n[architecture_presets]\nArrayHeight: 12\nArrayWidth: 14\n"
      "IfmapSramSz: 108\nFilterSramSz: 108\nOfmapSramSz: 108\nDataflow: ws\n"
      "[network_presets]\nTopologyCsvLoc: \"./topologies/yolo.csv\"\n");
  EXPECT_EQ(config.run_name, "eyeriss");
  EXPECT_EQ(config.ifmap_kib, 108U);
  EXPECT_EQ(config.topology, "./topologies/yolo.csv");
  EXPECT_EQ(config.bandwidth, std::nullopt);
}

TEST_F(ScaleSimConfigTest, AnEmptyTopologyIsNone) {
  EXPECT_EQ(read(std::string(kVersion2) + "\n[network_presets]\nTopologyCsvLoc:\n").topology,
            std::nullopt);
  EXPECT_EQ(read(std::string(kVersion2) + "\n[network_presets]\nTopologyCsvLoc: \"\"\n").topology,
            std::nullopt);
}

TEST_F(ScaleSimConfigTest, SaysWhereATopologyStandsWithoutEffect) {
  const ScaleSimConfig config = read("[layout]\nTopologyCsvLoc: a.csv\n" + std::string(kVersion2));
  EXPECT_EQ(config.topology, std::nullopt);
  ASSERT_TRUE(config.stray_topology);
  EXPECT_TRUE(config.stray_topology->ends_with(":2: TopologyCsvLoc in [layout]"))
      << *config.stray_topology;
  EXPECT_EQ(read(kVersion2).stray_topology, std::nullopt);
}

TEST_F(ScaleSimConfigTest, IgnoresSectionsOfVersion3AndMarksAndCases) {
  const ScaleSimConfig config = read(
      "\xEF\xBB\xBF# comment\r\n[architecture_presets]\r\narrayheight = 4\r\nARRAYWIDTH = 4\r\n"
      "IfmapSramSzkB = 1\r\nFilterSramSzkB = 1\r\nOfmapSramSzkB = 1\r\nDataflow = OS\r\n"
      "[layout]\r\nIfmapCustomLayout: True\r\n[sparsity]\r\nSparsitySupport : false\r\n");
  EXPECT_EQ(config.rows, 4U);
  EXPECT_EQ(config.dataflow, Dataflow::kOutputStationary);
  EXPECT_EQ(config.ignored, std::vector<std::string>{"[layout]"});
}

TEST_F(ScaleSimConfigTest, RefusesWithFileLineAndKey) {
  const std::string file = folder_.file("a.cfg");
  EXPECT_EQ(refused(with(kVersion2, ": is", ": rs")),
            file + ":11: Dataflow = 'rs': unknown dataflow; must be ws, is or os");
  EXPECT_EQ(refused(with(kVersion2, "16\n", "0\n")),
            file + ":5: ArrayHeight = '0': must be a whole number from 1 to 4096");
  EXPECT_EQ(refused(with(kVersion2, "FilterSramSzkB:  32\n", "")),
            file + ": FilterSramSzkB is missing in [architecture_presets]; add it");
  EXPECT_EQ(
      refused(with(kVersion2, "[architecture_presets]", "[other]")),
      file + ": has no section [architecture_presets], so it is not a SCALE-Sim configuration");
  EXPECT_EQ(refused(with(kVersion2, "CALC", "BOTH")),
            file + ":16: InterfaceBandwidth = 'BOTH': must be CALC or USER");
  EXPECT_EQ(refused(with(kVersion2, "IfmapOffset:    0", "nonsense")),
            file + ":10: 'nonsense' is neither [section] nor key = value in a section");
  EXPECT_EQ(refused(with(kVersion2, "IfmapOffset:", "arraywidth:")),
            file + ":10: 'arraywidth' is given twice in [architecture_presets]; keep one");
  EXPECT_EQ(refused(std::string(kVersion2) + "\n[sparsity]\nSparsitySupport = True\n"),
            file +
                ":18: SparsitySupport = True: sparse layers are not modelled; set "
                "SparsitySupport = false for dense ones");
}

TEST_F(ScaleSimConfigTest, RefusesRamulatorTracesAndIgnoresTheirAbsence) {
  const std::string key = std::string(kVersion2) + "\nUseRamulatorTrace: ";
  EXPECT_EQ(refused(key + "True\n"),
            folder_.file("a.cfg") +
                ":17: UseRamulatorTrace = True: Ramulator's latencies are not modelled; set "
                "UseRamulatorTrace = false for fixed ones");
  EXPECT_EQ(read(key + "False\n").ignored.back(), "UseRamulatorTrace");
}

TEST_F(ScaleSimConfigTest, RefusesFilesThatAreNoText) {
  const std::string file = folder_.file("a.cfg");
  EXPECT_EQ(refused(" \n\t\r\n"), file + ": is empty; name a SCALE-Sim configuration");
  EXPECT_EQ(refused(std::string("ab\0c", 4)),
            file + ": has bytes that are no text; name a SCALE-Sim configuration");
  EXPECT_EQ(refusal([&] { read_scalesim_config(folder_.file(".")); }),
            folder_.file(".") + ": is a folder");
  EXPECT_EQ(refusal([&] { read_scalesim_config(folder_.file("none")); }),
            folder_.file("none") + ": no such file");
}

}  // namespace
}  // namespace weft::imports
