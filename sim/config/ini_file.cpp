#include "sim/config/ini_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <cstddef>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"

namespace weft {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kMaxIniBytes = std::size_t{1} << 20U;

/// The numbers of the lines with entries: those that are neither empty nor a [section]. Throws
/// ConfigError for a line without an equals sign.
std::vector<std::size_t> entry_lines(const std::string& text, std::string_view origin) {
  constexpr std::string_view kSpace = " \t\r";
  std::vector<std::size_t> numbers;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    line.resize(line.find_last_not_of(kSpace) + 1);
    line.erase(0, std::min(line.find_first_not_of(kSpace), line.size()));
    if (line.empty() || (line.front() == '[' && line.back() == ']')) continue;
    if (line.find('=') == std::string::npos) {
      throw ConfigError(fmt::format("{}:{}: {} is neither [section] nor key = value", origin,
                                    number, printable(line)));
    }
    numbers.push_back(number);
  }
  return numbers;
}

po::parsed_options parse_lines(const std::string& text, std::string_view origin) {
  std::istringstream lines(text);
  const po::options_description no_options;
  try {
    return po::parse_config_file(lines, no_options, /*allow_unregistered=*/true);
  } catch (const po::error& error) {
    throw ConfigError(fmt::format("{}: {}", origin, error.what()));
  }
}

}  // namespace

std::string read_ini_text(std::istream& in, std::string_view origin, std::string_view what) {
  std::optional<std::string> text = read_text(in, kMaxIniBytes);
  if (in.bad()) throw ConfigError(fmt::format("{}: cannot be read", origin));
  if (!text)
    throw ConfigError(fmt::format("{}: larger than 1 MiB, too large for {}", origin, what));
  // A message that quotes a value would end at its first zero byte.
  if (text->find('\0') != std::string::npos)
    throw ConfigError(fmt::format("{}: has a zero byte, so it is no text file", origin));
  return *std::move(text);
}

std::vector<IniEntry> read_ini(std::istream& in, std::string_view origin, std::string_view what) {
  const std::string text = read_ini_text(in, origin, what);
  const std::vector<std::size_t> lines = entry_lines(text, origin);
  const po::parsed_options parsed = parse_lines(text, origin);
  std::vector<IniEntry> entries;
  for (const po::option& option : parsed.options) {
    entries.push_back({option.string_key, option.value.empty() ? "" : option.value.front(),
                       lines.at(entries.size())});
  }
  return entries;
}

bool describes_device(const std::vector<IniEntry>& entries) {
  return std::ranges::any_of(
      entries, [](const IniEntry& entry) { return entry.key.starts_with("device."); });
}

}  // namespace weft
