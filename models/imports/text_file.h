// Text files that other programs wrote: bounded, without the marks that editors and systems add.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::imports {

/// The longest text file that is read.
inline constexpr std::size_t kLargestTextBytes = std::size_t{16} << 20U;

/// The text without a byte order mark. `what` says what the file should be, e.g. "a topology".
/// Throws InputError if it cannot be read, is empty, longer than kLargestTextBytes or no text.
std::string read_text_file(const std::string& file, std::string_view what);

/// The lines without their ends, which may be those of Unix, of Windows or of an old Mac.
std::vector<std::string_view> lines_of(std::string_view text);

/// "FILE:12", where line 0 is the first. Messages about a line begin with it.
std::string place_of(const std::string& file, std::size_t line);

}  // namespace weft::imports
