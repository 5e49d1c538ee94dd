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

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  const auto real_a = std::filesystem::weakly_canonical(std::filesystem::absolute(a), error);
  const auto real_b = std::filesystem::weakly_canonical(std::filesystem::absolute(b), error);
  return a == b || (!error && real_a == real_b);
}

}  // namespace weft
