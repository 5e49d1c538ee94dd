// INI text as keys and values: the one reader of machine files and energy tables.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct IniEntry {
  std::string key;  // "section.key", or "key" above the first section
  std::string value;
  std::size_t line = 0;  // counted from 1
};

/// The text of an INI file. Throws ConfigError for more than 1 MiB and for text with zero bytes.
/// `origin` is the text's name in errors, `what` says what it should be: "a machine file".
std::string read_ini_text(std::istream& in, std::string_view origin, std::string_view what);

/// The entries in the order of the text; a key may come twice. A comment begins with '#'. Throws
/// ConfigError as read_ini_text() does, and, with its number, for a line that is neither [section]
/// nor key = value.
std::vector<IniEntry> read_ini(std::istream& in, std::string_view origin, std::string_view what);

/// True if the entries describe a device of models/devices, not a machine.
bool describes_device(const std::vector<IniEntry>& entries);

}  // namespace weft
