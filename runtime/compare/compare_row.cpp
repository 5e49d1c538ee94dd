#include "runtime/compare/compare_row.h"

#include <array>
#include <cmath>

#include "runtime/analysis/network_energy.h"
#include "runtime/compare/comparison.h"

namespace weft::runtime {

std::string_view to_string(RowKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"simulated", "measured", "modelled",
                                                      "imported"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view CompareRow::format_name() const {
  return format ? devices::to_string(*format) : std::string_view();
}

std::optional<std::uint64_t> CompareRow::cycles() const {
  if (exact_cycles || !clock_hz || !seconds) return exact_cycles;
  return static_cast<std::uint64_t>(std::llround(*seconds * *clock_hz));
}

std::optional<double> CompareRow::flop_per_second() const {
  if (!seconds || *seconds == 0 || flop == 0) return std::nullopt;
  return flop / *seconds;
}

std::optional<double> CompareRow::share_of_peak() const {
  const auto speed = flop_per_second();
  if (!peak || !speed) return std::nullopt;
  return *speed / *peak;
}

std::optional<double> CompareRow::watts() const {
  if (!joules || !seconds || *seconds == 0) return std::nullopt;
  return *joules / *seconds;
}

std::optional<double> CompareRow::price_of_million() const {
  if (!price_per_hour || !seconds) return std::nullopt;
  return runtime::price_of_million(*price_per_hour, *seconds / results);
}

double ImportedFile::seconds() const {
  double sum = 0;
  for (const ImportedDevice& device : devices) sum += device.seconds;
  return sum;
}

double ImportedFile::matched_seconds() const {
  double sum = 0;
  for (const ImportedDevice& device : devices) sum += device.matched_seconds;
  return sum;
}

}  // namespace weft::runtime
