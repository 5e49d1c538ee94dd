// GPUs and CPUs that Weft models but does not run: figures from their data sheets, one row per
// device, and a ceiling that measured products set (calibration.h).
//
//   peak = units * FLOP per clock and unit * clock      Titan RTX, fp16: 72 * 8 * 128 * 1.77 GHz
//
// A unit computes one output tile at a time: a streaming multiprocessor (SM) of a GPU or a core of
// a CPU. docs/compare.md lists the sources and says which figures are derived or from memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/devices/number_format.h"

namespace weft::devices {

enum class DeviceKind : std::uint8_t { kGpu, kCpu };

/// Devices of one architecture. They share one sustained rate. kOwn: described by a user's file.
enum class Family : std::uint8_t { kOwn, kKabyLake, kVolta, kTuring, kAmpere, kAda, kHopper };

inline constexpr std::array<std::string_view, 7> kFamilyNames = {
    "own", "Kaby Lake", "Volta", "Turing", "Ampere", "Ada", "Hopper"};

constexpr std::string_view to_string(Family family) {
  return kFamilyNames[static_cast<std::size_t>(family)];
}

/// Multiply-add rate in one format. A multiply-add counts as two FLOP.
struct FormatRate {
  std::uint32_t flop_per_clock = 0;  // of one unit; 0: the device does not multiply this format
  double clock_mhz = 0;              // the boost clock at which the peak is published
};

struct DeviceModel {
  std::string name;   // "titan-rtx"
  std::string title;  // "NVIDIA Titan RTX"
  DeviceKind kind = DeviceKind::kGpu;
  Family family = Family::kOwn;
  std::uint32_t units = 0;
  NumberFormat usual = NumberFormat::kFp32;  // the default format
  std::array<FormatRate, kNumberFormats> rates = {};
  double memory_gb_per_s = 0;
  double memory_share = 1;     // of that rate, which long sequential reads reach
  double memory_gb = 0;        // 10^9 bytes; 0: as much as the computer has
  double l2_gb_per_s = 0;      // from the shared cache to all units; 0: not published, no bound
  double launch_us = 0;        // from the call of a kernel to its first instruction
  double board_watts = 0;      // the data sheet's power of the board, or of the processor
  double sustained_share = 1;  // of the peak: more than this a long product does not reach
  std::string note = {};       // a caveat about the usual format's peak

  const FormatRate& rate(NumberFormat format) const {
    return rates[static_cast<std::size_t>(format)];
  }
  bool multiplies(NumberFormat format) const { return rate(format).flop_per_clock > 0; }
  /// FLOP per second with every unit busy; 0 if the device does not multiply this format.
  double peak(NumberFormat format) const {
    return static_cast<double>(units) * rate(format).flop_per_clock * rate(format).clock_mhz * 1e6;
  }
};

/// The data sheets' figures, oldest device first. They know no measured product, so each
/// sustained_share is 1.
std::span<const DeviceModel> published_devices();

/// All devices, oldest first, with the sustained share of their family.
std::span<const DeviceModel> devices();

/// The device with this name; null if there is none.
const DeviceModel* find_device(std::string_view name);

}  // namespace weft::devices
