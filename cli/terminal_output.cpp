#include "cli/terminal_output.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace weft::cli {
namespace {

/// What report::Style writes. Others cannot do harm with these either.
constexpr std::array<std::string_view, 5> kColors = {"\033[0m", "\033[1m", "\033[2m", "\033[32m",
                                                     "\033[1;31m"};

/// Bytes at the front of `text` that may be written as they are.
std::size_t harmless(std::string_view text) {
  const auto character = static_cast<unsigned char>(text.front());
  if (character == '\033') {
    const auto color = std::ranges::find_if(
        kColors, [&](std::string_view known) { return text.starts_with(known); });
    return color == kColors.end() ? 0 : color->size();
  }
  // U+0080 to U+009F, which some terminals take for controls too, are C2 80 to C2 9F in UTF-8.
  if (character == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0) return 0;
  const bool control = character < 0x20 || character == 0x7F;
  return !control || character == '\n' || character == '\t' ? 1 : 0;
}

}  // namespace

std::streambuf::int_type TerminalOutput::Buffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char text = traits_type::to_char_type(character);
  return xsputn(&text, 1) == 1 ? character : traits_type::eof();
}

bool TerminalOutput::Buffer::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return target_.sputn(text.data(), size) == size;
}

std::streamsize TerminalOutput::Buffer::xsputn(const char* text, std::streamsize size) {
  std::string_view left(text, static_cast<std::size_t>(size));
  while (!left.empty()) {
    std::size_t length = 0;
    while (length < left.size()) {
      const std::size_t next = harmless(left.substr(length));
      if (next == 0) break;
      length += next;
    }
    if (!put(left.substr(0, length))) return 0;
    left.remove_prefix(length);
    if (left.empty()) break;
    if (!put("?")) return 0;
    left.remove_prefix(1);
  }
  return size;
}

}  // namespace weft::cli
