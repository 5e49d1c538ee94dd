#include "cli/compare/compare_row.h"

#include <array>
#include <cmath>

namespace weft::cli {

std::string_view to_string(RowKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"simulated", "measured", "modelled"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::uint64_t> CompareRow::cycles() const {
  if (exact_cycles || !clock_hz) return exact_cycles;
  return static_cast<std::uint64_t>(std::llround(seconds * *clock_hz));
}

std::optional<double> CompareRow::share_of_peak() const {
  if (!peak) return std::nullopt;
  return flop_per_second() / *peak;
}

}  // namespace weft::cli
