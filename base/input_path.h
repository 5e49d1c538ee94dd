// Whether a file that a user named can be read from start to end: a pipe or a device would make the
// program wait for bytes that may never come.
#pragma once

#include <filesystem>

namespace weft {

/// What keeps `path` from being read as a file ("no such file", "is a folder", "is not a regular
/// file"), or nullptr.
const char* input_path_problem(const std::filesystem::path& path);

}  // namespace weft
