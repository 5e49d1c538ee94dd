#include "base/printable.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace weft {
namespace {

constexpr std::size_t kLongestQuote = 48;

std::string escaped(char character) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(character);
  return std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 0xFU];
}

struct Range {
  char32_t first;
  char32_t last;
};

/// Characters that show nothing, or that change how the text around them is shown: controls,
/// marks of width zero, line ends, directions of writing, surrogates.
constexpr std::array<Range, 8> kUnseen = {{{0x00, 0x1F},
                                           {0x7F, 0x9F},
                                           {0x200B, 0x200F},
                                           {0x2028, 0x202E},
                                           {0x2060, 0x206F},
                                           {0xD800, 0xDFFF},
                                           {0xFEFF, 0xFEFF},
                                           {0xFFF9, 0xFFFB}}};

/// Bytes of the character at the front of `text`; 0 if it is no UTF-8 or cannot be seen.
std::size_t visible(std::string_view text) {
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};  // by length
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || text.size() < length) return 0;
  char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (const char each : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(each);
    if ((byte & 0xC0U) != 0x80) return 0;
    code = code << 6U | (byte & 0x3FU);
  }
  if (code < kLeast.at(length) || code > 0x10FFFF) return 0;
  const auto holds = [code](Range range) { return code >= range.first && code <= range.last; };
  return std::ranges::any_of(kUnseen, holds) ? 0 : length;
}

/// Appends the characters within the first `most` bytes, and returns how many bytes they have.
std::size_t append_visible(std::string_view text, std::size_t most, std::string& result) {
  std::size_t done = 0;
  while (done < text.size()) {
    const std::size_t length = visible(text.substr(done));
    const std::size_t next = done + std::max<std::size_t>(length, 1);
    if (next > most) break;
    result += length == 0 ? escaped(text[done]) : std::string(text.substr(done, length));
    done = next;
  }
  return done;
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

std::string visible_text(std::string_view text) {
  std::string result;
  append_visible(text, text.size(), result);
  return result;
}

std::string printable(std::string_view text) {
  std::string result = "'";
  const std::size_t done = append_visible(text, kLongestQuote, result);
  return result + (done < text.size() ? "...'" : "'");
}

}  // namespace weft
