// Input that the user names: whether a file can be read from start to end, and its text. With a
// pipe or a device, the program would wait for bytes that may never come.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace weft {

/// The reason why `path` cannot be read as a file ("no such file", "is a folder", "is not a regular
/// file"), or nullptr if it can.
const char* input_path_problem(const std::filesystem::path& path);

/// True if both paths lead to the same file once links and dots are resolved. The file need not
/// exist.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// What is left of `in`, without the byte order mark with which some editors begin UTF-8; nullopt
/// if that is more than `most` bytes. Takes memory for the bytes that are there. A stream that
/// fails while it is read is bad() afterwards.
std::optional<std::string> read_text(std::istream& in, std::size_t most);

}  // namespace weft
