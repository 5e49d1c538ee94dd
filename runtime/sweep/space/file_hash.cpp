#include "runtime/sweep/space/file_hash.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "base/error.h"
#include "base/input_path.h"
#include "models/data/fingerprint.h"

namespace weft::sweep {

std::string file_hash(const std::string& file) {
  if (const char* problem = input_path_problem(file)) {
    throw InputError(fmt::format("{}: {}", file, problem));
  }
  std::ifstream in(file, std::ios::binary);
  data::Fingerprint print;
  std::array<char, 1U << 16U> bytes{};
  while (in.read(bytes.data(), bytes.size()) || in.gcount() > 0) {
    print.add(std::string_view(bytes.data(), static_cast<std::size_t>(in.gcount())));
  }
  if (in.bad() || !in.eof()) throw InputError(fmt::format("{}: cannot be read", file));
  return fmt::format("{:016x}", print.value());
}

}  // namespace weft::sweep
