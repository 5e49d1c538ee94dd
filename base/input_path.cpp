#include "base/input_path.h"

#include <system_error>

namespace weft {

const char* input_path_problem(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return "no such file";
  if (std::filesystem::is_directory(status)) return "is a folder";
  return std::filesystem::is_regular_file(status) ? nullptr : "is not a regular file";
}

}  // namespace weft
