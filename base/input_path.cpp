#include "base/input_path.h"

#include <array>
#include <string_view>
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
  if (a == b) return true;
  if (a.empty() || b.empty()) return false;  // absolute() throws for an empty path
  std::error_code error;
  const auto real_a = std::filesystem::weakly_canonical(std::filesystem::absolute(a), error);
  const auto real_b = std::filesystem::weakly_canonical(std::filesystem::absolute(b), error);
  return !error && real_a == real_b;
}

std::optional<std::string> read_text(std::istream& in, std::size_t most) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::array<char, std::size_t{1} << 14U> part{};
  std::string text;
  while (in) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) return std::nullopt;
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace weft
