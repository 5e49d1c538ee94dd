#include "base/printable.h"

#include <cstddef>

namespace weft {
namespace {

constexpr std::size_t kLongestQuote = 48;

std::string escaped(char character) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(character);
  if (byte >= 0x20 && byte < 0x7F) return std::string(1, character);
  return std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 0xFU];
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string printable(std::string_view text) {
  std::string result = "'";
  for (const char character : text.substr(0, kLongestQuote)) result += escaped(character);
  return result + (text.size() > kLongestQuote ? "...'" : "'");
}

}  // namespace weft
