#include "base/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"

namespace weft {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t low,
                           std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (whole && value >= low && value <= high) return value;
  throw InputError(fmt::format("{} = {}: must be a whole number from {} to {}", what,
                               printable(text), low, high));
}

std::uint64_t parse_size(std::string_view text, std::string_view what) {
  return parse_number(text, what, 1, std::uint64_t{1} << 40U);
}

}  // namespace weft
