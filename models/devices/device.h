// GPUs and CPUs that are modelled, not run: what their data sheets publish, one row a device.
//
//   peak = units * FLOP a clock and unit * clock        Titan RTX, fp16: 72 * 8 * 128 * 1.77 GHz
//
// A unit is what one output tile keeps busy: a streaming multiprocessor (SM) of a GPU, a core of a
// CPU. Sources, and which figures are derived or from memory: docs/compare.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/devices/number_format.h"

namespace weft::devices {

enum class DeviceKind : std::uint8_t { kGpu, kCpu };

/// Multiply-adds of one format; two FLOP each.
struct FormatRate {
  std::uint32_t flop_per_clock = 0;  // of one unit; 0: the device does not multiply this format
  double clock_mhz = 0;              // the boost clock at which the peak is published
};

struct Device {
  std::string_view name;   // "titan-rtx"
  std::string_view title;  // "NVIDIA Titan RTX"
  DeviceKind kind = DeviceKind::kGpu;
  std::uint32_t units = 0;
  NumberFormat usual = NumberFormat::kFp32;  // the format if none is asked for
  std::array<FormatRate, kNumberFormats> rates = {};
  double memory_gb_per_s = 0;
  double memory_gb = 0;        // 10^9 bytes; 0: as much as the computer has
  std::string_view note = {};  // what the usual format's peak does not say

  const FormatRate& rate(NumberFormat format) const {
    return rates[static_cast<std::size_t>(format)];
  }
  bool multiplies(NumberFormat format) const { return rate(format).flop_per_clock > 0; }
  /// FLOP a second with every unit busy; 0 for a format that it does not multiply.
  double peak(NumberFormat format) const {
    return static_cast<double>(units) * rate(format).flop_per_clock * rate(format).clock_mhz * 1e6;
  }
};

/// All of them, by age.
std::span<const Device> devices();

/// The one of this name; null if there is none.
const Device* find_device(std::string_view name);

}  // namespace weft::devices
