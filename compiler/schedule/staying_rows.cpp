#include "compiler/schedule/staying_rows.h"

#include <algorithm>

namespace weft::compiler {

std::optional<std::uint32_t> StayingRows::take(std::uint64_t rows) {
  rows = std::max<std::uint64_t>(rows, 1);  // so that every base is distinct
  std::uint64_t at = begin_;
  for (const auto& [base, count] : taken_) {
    if (base - at >= rows) break;
    at = base + count;
  }
  if (at > end_ || end_ - at < rows) return std::nullopt;
  taken_.emplace(at, rows);
  return static_cast<std::uint32_t>(at);
}

void StayingRows::release(std::uint32_t base) {
  taken_.erase(base);
}

}  // namespace weft::compiler
