#include "base/figures.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace weft {
namespace {

/// True for a share below 1 that would be rounded to 1.
bool almost_all(double share, double rounds_up_from) {
  return share < 1 && share >= rounds_up_from;
}

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string si(double value, std::string_view unit) {
  constexpr std::array<std::pair<double, std::string_view>, 11> kPrefixes = {{{1e15, "P"},
                                                                              {1e12, "T"},
                                                                              {1e9, "G"},
                                                                              {1e6, "M"},
                                                                              {1e3, "k"},
                                                                              {1.0, ""},
                                                                              {1e-3, "m"},
                                                                              {1e-6, "u"},
                                                                              {1e-9, "n"},
                                                                              {1e-12, "p"},
                                                                              {1e-15, "f"}}};
  for (const auto& [scale, prefix] : kPrefixes) {
    if (std::abs(value) < scale) continue;
    const double scaled = value / scale;
    const int decimals = scaled < 10 ? 2 : (scaled < 100 ? 1 : 0);
    return fmt::format("{:.{}f} {}{}", scaled, decimals, prefix, unit);
  }
  return fmt::format("{:.3g} {}", value, unit);
}

double without_nan_sign(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string counted(std::uint64_t count, std::string_view thing) {
  if (count == 1) return fmt::format("1 {}", thing);
  const bool hisses = thing.ends_with("ch") || thing.ends_with('s') || thing.ends_with('x');
  return fmt::format("{} {}{}", grouped(count), thing, hisses ? "es" : "s");
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", almost_all(share, 0.9995) ? 99.9 : share * 100);
}

std::string whole_percent(double share) {
  if (!almost_all(share, 0.995)) return fmt::format("{:.0f}", share * 100);
  return fmt::format("{:.1f}", std::floor(share * 1000) / 10);
}

}  // namespace weft
