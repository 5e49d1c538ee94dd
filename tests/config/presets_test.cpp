// The presets must match the machines whose names they have.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "sim/config/config_keys.h"

namespace weft {
namespace {

/// Counts two operations, multiply and add, per PE and cycle.
double peak_tops(const MachineConfig& config) {
  return 2.0 * config.array_rows * config.array_cols * static_cast<double>(config.clock_hz) / 1e12;
}

TEST(PresetsTest, AreAllValid) {
  const std::vector<std::string> expected = {"tiny", "tpu-v1", "tpu-v2", "edge-tpu"};
  EXPECT_EQ(preset_names(), expected);
  for (const std::string& name : preset_names()) EXPECT_EQ(load_preset(name).name, name);
}

TEST(PresetsTest, HaveThePublishedPeaks) {
  EXPECT_NEAR(peak_tops(load_preset("tpu-v1")), 91.8, 0.05);
  EXPECT_NEAR(peak_tops(load_preset("tpu-v2")), 22.9, 0.05);
  EXPECT_NEAR(2 * peak_tops(load_preset("tpu-v2")), 45.9, 0.05);  // a chip has two cores
  EXPECT_NEAR(peak_tops(load_preset("edge-tpu")), 4.0, 0.1);
}

TEST(PresetsTest, TpuV1HasThePublishedBuffersAndRates) {
  const MachineConfig config = load_preset("tpu-v1");
  EXPECT_EQ(config.unified_buffer_rows() * config.row_bytes(), 24U << 20U);
  EXPECT_EQ(std::uint64_t{config.accumulator_rows} * config.array_cols * 4, 4U << 20U);
  EXPECT_EQ(config.memory_bytes_per_s, 34'000'000'000U);
  EXPECT_EQ(config.host_bytes_per_s, 12'500'000'000U);
  EXPECT_EQ(config.memory_kind, MemoryKind::kSplit);
  // A tile of 64 KiB then takes 1349.3 cycles.
  const double tile_cycles = static_cast<double>(config.tile_bytes() * config.clock_hz) /
                             static_cast<double>(config.memory_bytes_per_s);
  EXPECT_NEAR(tile_cycles, 1349.3, 0.05);
}

TEST(PresetsTest, TinyIsSmallAndIdeal) {
  const MachineConfig config = load_preset("tiny");
  EXPECT_EQ(config.array_rows, 4U);
  EXPECT_EQ(config.array_cols, 4U);
  EXPECT_EQ(config.clock_hz, 100'000'000U);
  EXPECT_EQ(config.dtype, ElementType::kInt8);
  EXPECT_EQ(config.memory_kind, MemoryKind::kIdeal);
  EXPECT_EQ(config.unified_buffer_rows(), 1024U);
  EXPECT_EQ(config.accumulator_rows, 64U);
  EXPECT_EQ(config.weight_fifo_tiles, 4U);
  EXPECT_EQ(config.vector_latency_cycles, 1U);
}

TEST(PresetsTest, AnUnknownNameListsThem) {
  try {
    load_preset("tpu-v9");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown preset 'tpu-v9'; the presets are tiny, tpu-v1, tpu-v2, edge-tpu");
  }
}

TEST(LoadMachineTest, TakesAPresetOrAFile) {
  EXPECT_EQ(load_machine("tpu-v2"), load_preset("tpu-v2"));
  const std::string path = testing::TempDir() + "weft_load_machine_test.ini";
  std::ofstream(path) << to_ini(load_preset("edge-tpu"));
  EXPECT_EQ(load_machine(path), load_preset("edge-tpu"));
  std::filesystem::remove(path);
}

void expect_no_machine(const std::string& path, const std::string& problem) {
  try {
    load_machine(path);
    FAIL() << "no error for " << path;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(problem + ", and the presets are tiny"),
              std::string::npos)
        << error.what();
  }
}

TEST(LoadMachineTest, SaysWhyAPathIsNoMachine) {
  expect_no_machine("no/such.ini", "no such file");
  expect_no_machine(testing::TempDir(), "is a folder");
  expect_no_machine("/dev/zero", "is not a regular file");
}

}  // namespace
}  // namespace weft
