#include "models/measurements/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"

namespace weft::measurements {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A plain number of digits, point and exponent; nullopt for anything else, infinity included.
std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// Takes `group` out if it stands between groups of three digits. The first group may be shorter
/// and does not begin with 0. nullopt if `group` stands elsewhere.
std::optional<std::string> without_groups(std::string_view text, char group) {
  const std::size_t first = text.find(group);
  if (first == std::string_view::npos) return std::string(text);
  const std::size_t digits = text.find_first_of("0123456789");
  if (digits >= first || first - digits > 3 || text[digits] == '0') return std::nullopt;
  std::string plain(text.substr(0, first));
  text.remove_prefix(first);
  while (!text.empty() && text.front() == group) {
    if (text.size() < 4 || !std::all_of(text.begin() + 1, text.begin() + 4, is_digit)) {
      return std::nullopt;
    }
    plain += text.substr(1, 3);
    text.remove_prefix(4);
  }
  if (!text.empty() && is_digit(text.front())) return std::nullopt;
  plain += text;
  return plain.find(group) == std::string::npos ? std::optional(plain) : std::nullopt;
}

std::optional<double> read_as(std::string_view text, char decimal, char group) {
  auto plain = without_groups(text, group);
  if (!plain) return std::nullopt;
  if (std::ranges::count(*plain, decimal) > 1) return std::nullopt;
  std::ranges::replace(*plain, decimal, '.');
  return plain_number(*plain);
}

/// Replaces the spaces and apostrophes that some languages put between groups of digits.
std::string spaces_removed(std::string_view text) {
  std::string plain(text);
  for (const std::string_view mark : {"\u00A0", "\u202F", " ", "'", "\u2019"}) {
    for (std::size_t at = 0; (at = plain.find(mark, at)) != std::string::npos;) {
      const bool between =
          at > 0 && is_digit(plain[at - 1]) && at + mark.size() + 3 <= plain.size() &&
          std::all_of(plain.begin() + static_cast<std::ptrdiff_t>(at + mark.size()),
                      plain.begin() + static_cast<std::ptrdiff_t>(at + mark.size() + 3), is_digit);
      if (!between) return plain;  // no number
      plain.erase(at, mark.size());
    }
  }
  return plain;
}

}  // namespace

NumberReadings read_number(std::string_view text) {
  const std::string plain = spaces_removed(text);
  return {read_as(plain, '.', ','), read_as(plain, ',', '.')};
}

void NumberStyle::see(const NumberReadings& number) {
  if (!number.is_number()) return;
  if (!number.point) point_fits_ = false;
  if (!number.comma) comma_fits_ = false;
  if (number.point && number.comma && *number.point != *number.comma) differs_ = true;
}

bool NumberStyle::is_comma() const {
  if (!point_fits_ && !comma_fits_) {
    throw InputError(
        "writes some numbers with a decimal point and some with a decimal comma; export it again "
        "with LC_ALL=C");
  }
  return !point_fits_;
}

std::optional<double> seconds_of_unit(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1e-9},      {"nsec", 1e-9},    {"nsecond", 1e-9}, {"nanosecond", 1e-9},
      {"us", 1e-6},      {"usec", 1e-6},    {"usecond", 1e-6}, {"microsecond", 1e-6},
      {"\u00B5s", 1e-6}, {"\u03BCs", 1e-6}, {"ms", 1e-3},      {"msec", 1e-3},
      {"msecond", 1e-3}, {"s", 1},          {"sec", 1},        {"second", 1},
      {"seconds", 1}};
  const auto* const found =
      std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (found == std::end(kUnits)) return std::nullopt;
  return found->second;
}

std::optional<double> time_of(std::string_view text, double unit) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  std::string_view word(rest, static_cast<std::size_t>(end - rest));
  word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
  if (word.empty()) return value * unit;
  const auto named = seconds_of_unit(word);
  return named ? std::optional(value * *named) : std::nullopt;
}

}  // namespace weft::measurements
