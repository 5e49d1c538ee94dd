#include "models/imports/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/input_path.h"

namespace weft::imports {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

/// True for bytes that no text has, such as those of compressed files.
bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && kBlanks.find(byte) == std::string_view::npos && byte != '\n') ||
         code == 0x7F;
}

}  // namespace

std::string read_text_file(const std::string& file, std::string_view what) {
  if (const char* problem = input_path_problem(file)) {
    throw InputError(fmt::format("{}: {}", file, problem));
  }
  std::ifstream in(file, std::ios::binary);
  const bool opened = in.is_open();
  std::optional<std::string> read = read_text(in, kLargestTextBytes);
  if (!opened || in.bad()) throw InputError(fmt::format("{}: cannot be read", file));
  if (!read) {
    throw InputError(fmt::format("{}: larger than {} MiB, too large for {}", file,
                                 kLargestTextBytes >> 20U, what));
  }
  std::string text = *std::move(read);
  if (std::ranges::any_of(text, is_control)) {
    throw InputError(fmt::format("{}: has bytes that are no text; name {}", file, what));
  }
  if (text.find_first_not_of(" \t\r\n\f\v") == std::string::npos) {
    throw InputError(fmt::format("{}: is empty; name {}", file, what));
  }
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  // Old programs on a Mac end lines with CR alone. Beside a LF, a CR belongs to the LF.
  const char ends = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(ends), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string place_of(const std::string& file, std::size_t line) {
  return fmt::format("{}:{}", file, line + 1);
}

}  // namespace weft::imports
