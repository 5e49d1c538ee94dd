// One row of `weft compare`: a device, what it took, and where the figures come from. The three
// kinds are never mixed: a row is simulated by Weft's machine, measured on this computer, or
// modelled from published figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/json.h"
#include "models/devices/gemm_model.h"
#include "models/devices/number_format.h"

namespace weft::cli {

enum class RowKind : std::uint8_t { kSimulated, kMeasured, kModelled };

std::string_view to_string(RowKind kind);

struct CompareRow {
  std::string device = {};  // as it was asked for
  std::string title = {};   // "NVIDIA A100 SXM 40 GB"
  RowKind kind = RowKind::kModelled;
  devices::NumberFormat format = devices::NumberFormat::kFp32;
  devices::GemmShape shape = {};       // of a product; else all 0
  double flop = 0;                     // useful ones, two to a MAC; 0 if none ran on the device
  std::optional<double> seconds = {};  // none if nothing ran on the device
  std::optional<double> clock_hz = {};
  std::optional<double> peak = {};                 // FLOP a second
  std::optional<double> waste = {};                // 1 - useful / issued
  std::optional<double> max_abs_error = {};        // from float64; none without values
  std::optional<std::uint64_t> exact_cycles = {};  // where cycles were counted
  std::string basis = {};                          // how the figures came about, a sentence
  Json details = Json::object();                   // the same for programs

  /// Counted, else time at the clock.
  std::optional<std::uint64_t> cycles() const;
  /// None if no product ran on the device.
  std::optional<double> flop_per_second() const;
  std::optional<double> share_of_peak() const;
};

}  // namespace weft::cli
