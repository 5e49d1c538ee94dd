#include "compiler/emit/buffer_rows.h"

#include <algorithm>
#include <cassert>

namespace weft::network {

BufferRows::BufferRows(std::uint64_t rows, std::uint64_t margin, std::uint64_t staging)
    : begin_(margin), staging_(rows - staging), end_(rows), next_(staging_) {
  assert(margin + staging <= rows);
}

std::optional<std::uint32_t> BufferRows::take(std::uint64_t rows) {
  rows = std::max<std::uint64_t>(rows, 1);  // so that every base is distinct
  std::uint64_t at = begin_;
  for (const auto& [base, count] : taken_) {
    if (base - at >= rows) break;
    at = base + count;
  }
  if (at > staging_ || staging_ - at < rows) return std::nullopt;
  taken_.emplace(at, rows);
  return static_cast<std::uint32_t>(at);
}

void BufferRows::release(std::uint32_t base) {
  taken_.erase(base);
}

void BufferRows::begin_use(std::uint64_t rows) {
  assert(rows <= staging_rows());
  if (end_ - next_ < rows) next_ = staging_;
}

std::uint32_t BufferRows::stage(std::uint64_t rows) {
  assert(end_ - next_ >= rows);
  const auto base = static_cast<std::uint32_t>(next_);
  next_ += rows;
  return base;
}

}  // namespace weft::network
