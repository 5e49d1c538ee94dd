#include <algorithm>

#include "models/devices/device.h"

namespace weft::devices {
namespace {

using enum NumberFormat;

/// Rates in the order of NumberFormat: fp32, tf32, bf16, fp16, int8. All formats share one clock
/// except plain fp32, because Hopper's plain cores boost higher than its tensor cores.
constexpr std::array<FormatRate, kNumberFormats> rates(
    const std::array<std::uint32_t, kNumberFormats>& flop_per_clock, double clock_mhz,
    double fp32_clock_mhz) {
  std::array<FormatRate, kNumberFormats> all = {};
  for (std::size_t i = 0; i < kNumberFormats; ++i) all[i] = {flop_per_clock[i], clock_mhz};
  all[0].clock_mhz = fp32_clock_mhz;
  return all;
}

// FLOP per clock and SM. fp32: 64 cores (Hopper: 128), one multiply-add each. fp16: 8 tensor cores
// of 4x4x4 multiply-adds = 8 * 128 (Volta, Turing); Ampere does twice, Hopper four times as many.
// int8 takes half the time of fp16, tf32 twice the time. Volta's tensor cores support only fp16.
constexpr std::array<std::uint32_t, kNumberFormats> kVolta = {128, 0, 0, 1024, 0};
constexpr std::array<std::uint32_t, kNumberFormats> kTuring = {128, 0, 0, 1024, 2048};
constexpr std::array<std::uint32_t, kNumberFormats> kAmpere = {128, 1024, 2048, 2048, 4096};
constexpr std::array<std::uint32_t, kNumberFormats> kHopper = {256, 2048, 4096, 4096, 8192};
// AVX2: two fused multiply-adds of 8 floats per clock.
constexpr std::array<std::uint32_t, kNumberFormats> kTwoAvx2 = {32, 0, 0, 0, 0};

constexpr auto kGpu = DeviceKind::kGpu;
constexpr auto kCpu = DeviceKind::kCpu;

constexpr DeviceModel kDevices[] = {
    // name, title, kind, units, usual format, rates, memory GB/s, memory GB, watts
    {"i7-7700k", "Intel Core i7-7700K", kCpu, 4, kFp32, rates(kTwoAvx2, 4200, 4200), 38.4, 0, 91},
    {"v100", "NVIDIA V100 SXM2", kGpu, 80, kFp16, rates(kVolta, 1530, 1530), 900, 16, 300},
    {"titan-v", "NVIDIA Titan V", kGpu, 80, kFp16, rates(kVolta, 1455, 1455), 653, 12, 250},
    {"rtx-2080-ti", "NVIDIA RTX 2080 Ti", kGpu, 68, kFp16, rates(kTuring, 1635, 1635), 616, 11, 250,
     "with fp16 sums; fp32 sums take twice as long"},
    {"titan-rtx", "NVIDIA Titan RTX", kGpu, 72, kFp16, rates(kTuring, 1770, 1770), 672, 24, 280},
    {"a100", "NVIDIA A100 SXM 40 GB", kGpu, 108, kFp16, rates(kAmpere, 1410, 1410), 1555, 40, 400},
    {"a100-80gb", "NVIDIA A100 SXM 80 GB", kGpu, 108, kFp16, rates(kAmpere, 1410, 1410), 2039, 80,
     400},
    {"h100", "NVIDIA H100 SXM", kGpu, 132, kFp16, rates(kHopper, 1830, 1980), 3350, 80, 700},
    {"h200", "NVIDIA H200 SXM", kGpu, 132, kFp16, rates(kHopper, 1830, 1980), 4800, 141, 700},
};

}  // namespace

std::span<const DeviceModel> devices() {
  return kDevices;
}

const DeviceModel* find_device(std::string_view name) {
  const auto found = std::ranges::find(kDevices, name, &DeviceModel::name);
  return found == std::end(kDevices) ? nullptr : &*found;
}

}  // namespace weft::devices
