// Checks that a file named by the user can be read from start to end: with a pipe or a device, the
// program would wait for bytes that may never come.
#pragma once

#include <filesystem>

namespace weft {

/// The reason why `path` cannot be read as a file ("no such file", "is a folder", "is not a regular
/// file"), or nullptr if it can.
const char* input_path_problem(const std::filesystem::path& path);

/// True if both paths lead to the same file once links and dots are resolved. The file need not
/// exist.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace weft
