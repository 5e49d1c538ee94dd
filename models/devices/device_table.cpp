#include <algorithm>
#include <vector>

#include "models/devices/calibration.h"
#include "models/devices/device.h"

namespace weft::devices {
namespace {

using enum NumberFormat;
using Rates = std::array<std::uint32_t, kNumberFormats>;

/// Rates in the order of NumberFormat: fp32, tf32, bf16, fp16, int8. All formats share one clock
/// except plain fp32, because Hopper's plain cores boost higher than its tensor cores.
constexpr std::array<FormatRate, kNumberFormats> rates(const Rates& flop_per_clock,
                                                       double clock_mhz, double fp32_clock_mhz) {
  std::array<FormatRate, kNumberFormats> all = {};
  for (std::size_t i = 0; i < kNumberFormats; ++i) all[i] = {flop_per_clock[i], clock_mhz};
  all[0].clock_mhz = fp32_clock_mhz;
  return all;
}

// FLOP per clock and SM. fp32: 64 cores (Ada, Hopper: 128), one multiply-add each. fp16: 8 tensor
// cores of 4x4x4 multiply-adds = 8 * 128 (Volta, Turing; Ada has 4 of twice the size); Ampere does
// twice, Hopper four times as many. int8 takes half the time of fp16, tf32 twice the time. Volta's
// tensor cores support only fp16.
constexpr Rates kVoltaRates = {128, 0, 0, 1024, 0};
constexpr Rates kTuringRates = {128, 0, 0, 1024, 2048};
constexpr Rates kAmpereRates = {128, 1024, 2048, 2048, 4096};
constexpr Rates kAdaRates = {256, 512, 1024, 1024, 2048};
constexpr Rates kHopperRates = {256, 2048, 4096, 4096, 8192};
// AVX2: two fused multiply-adds of 8 floats per clock.
constexpr Rates kTwoAvx2 = {32, 0, 0, 0, 0};

// What is left of a memory's rate. HBM: measured. GDDR6 and DDR4: the time between refreshes, 1 -
// 120 / 1900 ns and 1 - 350 / 7800 ns.
constexpr double kHbm = 0.922;
constexpr double kGddr6 = 0.937;
constexpr double kDdr4 = 0.955;

// Between a call and the kernel's first instruction, in microseconds.
constexpr double kOldLaunch = 5;
constexpr double kLaunch = 3;

// Bytes per clock from the second-level cache to all SMs, from NVIDIA's white papers. It gives none
// for Turing, Ada and Hopper.
constexpr double l2_gb_per_s(double bytes_per_clock, double clock_mhz) {
  return bytes_per_clock * clock_mhz * 1e-3;
}

constexpr auto kGpu = DeviceKind::kGpu;
constexpr auto kCpu = DeviceKind::kCpu;

std::vector<DeviceModel> data_sheets() {
  using enum Family;
  const auto v100 = rates(kVoltaRates, 1530, 1530);
  const auto titan_v = rates(kVoltaRates, 1455, 1455);
  const auto ti = rates(kTuringRates, 1635, 1635);
  const auto t4 = rates(kTuringRates, 1590, 1590);
  const auto titan_rtx = rates(kTuringRates, 1770, 1770);
  const auto a100 = rates(kAmpereRates, 1410, 1410);
  const auto l4 = rates(kAdaRates, 2040, 2040);
  const auto h100 = rates(kHopperRates, 1830, 1980);
  const double volta_l2 = l2_gb_per_s(2048, 1530);
  const double titan_l2 = l2_gb_per_s(2048, 1455);
  const double ampere_l2 = l2_gb_per_s(5120, 1410);
  return {
      // name, title, kind, family, units, usual format, rates, memory GB/s, its share, GB, L2 GB/s,
      // launch us, watts
      {"i7-7700k", "Intel Core i7-7700K", kCpu, kKabyLake, 4, kFp32, rates(kTwoAvx2, 4200, 4200),
       38.4, kDdr4, 0, 0, 0, 91},
      {"v100", "NVIDIA V100 SXM2", kGpu, kVolta, 80, kFp16, v100, 900, kHbm, 16, volta_l2,
       kOldLaunch, 300},
      {"titan-v", "NVIDIA Titan V", kGpu, kVolta, 80, kFp16, titan_v, 653, kHbm, 12, titan_l2,
       kOldLaunch, 250},
      {"rtx-2080-ti", "NVIDIA RTX 2080 Ti", kGpu, kTuring, 68, kFp16, ti, 616, kGddr6, 11, 0,
       kOldLaunch, 250, 1, "with fp16 sums; fp32 sums take twice as long"},
      {"t4", "NVIDIA T4", kGpu, kTuring, 40, kFp16, t4, 320, kGddr6, 16, 0, kOldLaunch, 70},
      {"titan-rtx", "NVIDIA Titan RTX", kGpu, kTuring, 72, kFp16, titan_rtx, 672, kGddr6, 24, 0,
       kOldLaunch, 280},
      {"a100", "NVIDIA A100 SXM 40 GB", kGpu, kAmpere, 108, kFp16, a100, 1555, kHbm, 40, ampere_l2,
       kLaunch, 400},
      {"a100-80gb", "NVIDIA A100 SXM 80 GB", kGpu, kAmpere, 108, kFp16, a100, 2039, kHbm, 80,
       ampere_l2, kLaunch, 400},
      {"l4", "NVIDIA L4", kGpu, kAda, 58, kFp16, l4, 300, kGddr6, 24, 0, kLaunch, 72},
      {"h100", "NVIDIA H100 SXM", kGpu, kHopper, 132, kFp16, h100, 3350, kHbm, 80, 0, kLaunch, 700},
      {"h200", "NVIDIA H200 SXM", kGpu, kHopper, 132, kFp16, h100, 4800, kHbm, 141, 0, kLaunch,
       700},
  };
}

std::vector<DeviceModel> with_sustained_shares() {
  const auto published = published_devices();
  std::vector<DeviceModel> all(published.begin(), published.end());
  for (DeviceModel& device : all) {
    if (device.kind == kGpu) device.sustained_share = sustained_share(device.family).share;
  }
  return all;
}

}  // namespace

std::span<const DeviceModel> published_devices() {
  static const std::vector<DeviceModel> all = data_sheets();
  return all;
}

std::span<const DeviceModel> devices() {
  static const std::vector<DeviceModel> all = with_sustained_shares();
  return all;
}

const DeviceModel* find_device(std::string_view name) {
  const auto found = std::ranges::find(devices(), name, &DeviceModel::name);
  return found == devices().end() ? nullptr : &*found;
}

}  // namespace weft::devices
