// GPUs and CPUs that Weft models but does not run: figures from their data sheets, one row per
// device.
//
//   peak = units * FLOP per clock and unit * clock      Titan RTX, fp16: 72 * 8 * 128 * 1.77 GHz
//
// A unit computes one output tile at a time: a streaming multiprocessor (SM) of a GPU or a core of
// a CPU. docs/compare.md lists the sources and says which figures are derived or from memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/devices/number_format.h"

namespace weft::devices {

enum class DeviceKind : std::uint8_t { kGpu, kCpu };

/// Multiply-add rate in one format. A multiply-add counts as two FLOP.
struct FormatRate {
  std::uint32_t flop_per_clock = 0;  // of one unit; 0: the device does not multiply this format
  double clock_mhz = 0;              // the boost clock at which the peak is published
};

struct DeviceModel {
  std::string_view name;   // "titan-rtx"
  std::string_view title;  // "NVIDIA Titan RTX"
  DeviceKind kind = DeviceKind::kGpu;
  std::uint32_t units = 0;
  NumberFormat usual = NumberFormat::kFp32;  // the default format
  std::array<FormatRate, kNumberFormats> rates = {};
  double memory_gb_per_s = 0;
  double memory_gb = 0;        // 10^9 bytes; 0: as much as the computer has
  double board_watts = 0;      // the data sheet's power of the board, or of the processor
  std::string_view note = {};  // a caveat about the usual format's peak

  const FormatRate& rate(NumberFormat format) const {
    return rates[static_cast<std::size_t>(format)];
  }
  bool multiplies(NumberFormat format) const { return rate(format).flop_per_clock > 0; }
  /// FLOP per second with every unit busy; 0 if the device does not multiply this format.
  double peak(NumberFormat format) const {
    return static_cast<double>(units) * rate(format).flop_per_clock * rate(format).clock_mhz * 1e6;
  }
};

/// All devices, oldest first.
std::span<const DeviceModel> devices();

/// The device with this name; null if there is none.
const DeviceModel* find_device(std::string_view name);

}  // namespace weft::devices
