// Compares the table with makers' figures: each peak lies within the rounding of its data sheet.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "models/devices/device.h"

namespace weft::devices {
namespace {

using enum NumberFormat;

struct Published {
  const char* device;
  NumberFormat format;
  double tflops;    // as printed in the data sheet
  double rounding;  // half a unit of its last digit
};

// Dense figures from NVIDIA's data sheets and white papers. docs/compare.md derives 113.8, 14.9,
// 119.2, and the processor's 0.5376.
constexpr Published kPublished[] = {{"titan-rtx", kFp32, 16.3, 0.05},
                                    {"titan-rtx", kFp16, 130.5, 0.05},
                                    {"titan-rtx", kInt8, 261, 0.5},
                                    {"t4", kFp32, 8.1, 0.05},
                                    {"t4", kFp16, 65, 0.5},
                                    {"t4", kInt8, 130, 0.5},
                                    {"rtx-2080-ti", kFp32, 14.2, 0.05},
                                    {"rtx-2080-ti", kFp16, 113.8, 0.06},
                                    {"titan-v", kFp32, 14.9, 0.05},
                                    {"titan-v", kFp16, 119.2, 0.05},
                                    {"v100", kFp32, 15.7, 0.05},
                                    {"v100", kFp16, 125, 0.5},
                                    {"a100", kFp32, 19.5, 0.05},
                                    {"a100", kTf32, 156, 0.5},
                                    {"a100", kBf16, 312, 0.5},
                                    {"a100", kFp16, 312, 0.5},
                                    {"a100", kInt8, 624, 0.5},
                                    {"a100-80gb", kFp16, 312, 0.5},
                                    {"h100", kFp32, 67, 0.5},
                                    {"h100", kTf32, 494.7, 0.05},
                                    {"h100", kBf16, 989.4, 0.05},
                                    {"h100", kFp16, 989.4, 0.05},
                                    {"h100", kInt8, 1978.9, 0.05},
                                    {"h200", kFp32, 67, 0.5},
                                    {"h200", kFp16, 989.4, 0.05},
                                    {"h200", kInt8, 1978.9, 0.05},
                                    {"l4", kFp32, 30.3, 0.05},
                                    {"l4", kFp16, 121, 0.25},  // 242 with sparsity
                                    {"l4", kInt8, 242.5, 0.25},
                                    {"i7-7700k", kFp32, 0.5376, 0.00005}};

TEST(DeviceTableTest, PeaksAreThePublishedOnesWithinTheirRounding) {
  std::set<std::string> seen;
  for (const Published& published : kPublished) {
    SCOPED_TRACE(std::string(published.device) + " " + std::string(to_string(published.format)));
    const DeviceModel* device = find_device(published.device);
    ASSERT_NE(device, nullptr);
    EXPECT_NEAR(device->peak(published.format) / 1e12, published.tflops, published.rounding);
    seen.insert(published.device);
  }
  EXPECT_EQ(seen.size(), devices().size()) << "a device has no published peak here";
}

TEST(DeviceTableTest, TheTitanRtxIsTensorCoresTimesClock) {
  const DeviceModel& titan = *find_device("titan-rtx");
  EXPECT_DOUBLE_EQ(titan.peak(kFp16), 72.0 * 8 * 128 * 1.77e9);  // 130.5 TFLOP/s
  EXPECT_DOUBLE_EQ(titan.peak(kFp32), 72.0 * 64 * 2 * 1.77e9);   // 16.3 TFLOP/s
}

TEST(DeviceTableTest, FormatsThatAnArchitectureLacksHaveNoPeak) {
  for (const char* volta : {"v100", "titan-v"}) {
    for (const NumberFormat format : {kTf32, kBf16, kInt8}) {
      EXPECT_FALSE(find_device(volta)->multiplies(format)) << volta << " " << to_string(format);
      EXPECT_EQ(find_device(volta)->peak(format), 0);
    }
  }
  EXPECT_FALSE(find_device("titan-rtx")->multiplies(kBf16));
  EXPECT_FALSE(find_device("titan-rtx")->multiplies(kTf32));
  EXPECT_FALSE(find_device("i7-7700k")->multiplies(kFp16));
}

TEST(DeviceTableTest, EveryRowIsWhole) {
  std::set<std::string_view> names;
  for (const DeviceModel& device : devices()) {
    SCOPED_TRACE(device.name);
    EXPECT_TRUE(names.insert(device.name).second);
    EXPECT_FALSE(device.title.empty());
    EXPECT_GT(device.memory_gb_per_s, 0);
    EXPECT_TRUE(device.multiplies(device.usual));
    EXPECT_TRUE(device.multiplies(kFp32));
    EXPECT_EQ(device.memory_gb > 0, device.kind == DeviceKind::kGpu);
    EXPECT_EQ(device.launch_us > 0, device.kind == DeviceKind::kGpu);
    EXPECT_NE(device.family, Family::kOwn);
    EXPECT_GT(device.sustained_share, 0);
    EXPECT_LE(device.sustained_share, 1);
    EXPECT_GT(device.memory_share, 0);
    EXPECT_LE(device.memory_share, 1);
  }
  EXPECT_EQ(find_device("titan"), nullptr);
}

TEST(NumberFormatTest, NamesGoBothWays) {
  for (std::size_t i = 0; i < kNumberFormats; ++i) {
    const auto format = static_cast<NumberFormat>(i);
    EXPECT_EQ(number_format_from_string(to_string(format)), format);
  }
  EXPECT_EQ(number_format_from_string("int4"), std::nullopt);
}

}  // namespace
}  // namespace weft::devices
