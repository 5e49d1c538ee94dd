#include "base/decimal.h"

#include <fmt/format.h>

#include <charconv>

namespace weft {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<std::uint64_t> parse_decimal(std::string_view text, unsigned decimals) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string digits(whole);
  unsigned missing = decimals;
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    if (!all_digits(fraction) || fraction.size() > decimals) return std::nullopt;
    digits += fraction;
    missing -= static_cast<unsigned>(fraction.size());
  }
  if (!all_digits(whole)) return std::nullopt;
  digits.append(missing, '0');
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string print_decimal(std::uint64_t value, unsigned decimals) {
  if (decimals == 0) return std::to_string(value);
  std::uint64_t one = 1;
  for (unsigned i = 0; i < decimals; ++i) one *= 10;
  std::string text = fmt::format("{}.{:0{}}", value / one, value % one, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace weft
