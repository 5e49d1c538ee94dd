// One row of `weft compare`: a device, its figures, and where they come from. A row has exactly one
// kind: simulated by Weft's machine, measured on this computer, modelled from published figures, or
// imported from a file of measurements that were made elsewhere.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "models/devices/gemm_model.h"
#include "models/devices/number_format.h"

namespace weft::runtime {

enum class RowKind : std::uint8_t { kSimulated, kMeasured, kModelled, kImported };

std::string_view to_string(RowKind kind);

struct CompareRow {
  std::string device = {};  // as the user gave it
  std::string title = {};   // "NVIDIA A100 SXM 40 GB"
  RowKind kind = RowKind::kModelled;
  /// nullopt: a file of measurements does not say.
  std::optional<devices::NumberFormat> format = devices::NumberFormat::kFp32;
  devices::GemmShape shape = {};       // of a product; all 0 for a network
  double flop = 0;                     // useful FLOP, two per MAC; 0 if none ran on the device
  std::optional<double> seconds = {};  // nullopt if nothing ran on the device
  std::optional<double> clock_hz = {};
  std::optional<double> peak = {};                 // FLOP per second
  std::optional<double> waste = {};                // 1 - useful / issued
  std::optional<double> max_abs_error = {};        // from float64; nullopt without values
  std::optional<double> joules = {};               // if energy was asked for and is known
  std::optional<double> area_mm2 = {};             // of the array's cells; the same
  std::optional<double> price_per_hour = {};       // if the user gave one
  double results = 1;                              // of a run: the batch of a network
  std::optional<std::uint64_t> exact_cycles = {};  // if cycles were counted
  std::string basis = {};                          // a sentence about the source of the figures
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  // the same for programs

  /// The name of the format; empty if it is not known.
  std::string_view format_name() const;
  /// The counted cycles, else time times clock.
  std::optional<std::uint64_t> cycles() const;
  /// nullopt if no product ran on the device, or in no time that its clock shows.
  std::optional<double> flop_per_second() const;
  std::optional<double> share_of_peak() const;
  /// nullopt if the energy or the time is not known.
  std::optional<double> watts() const;
  /// Of 10^6 results; nullopt if the price or the time is not known.
  std::optional<double> price_of_million() const;
};

}  // namespace weft::runtime
