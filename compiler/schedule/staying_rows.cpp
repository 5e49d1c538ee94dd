#include "compiler/schedule/staying_rows.h"

#include <algorithm>

namespace weft::compiler {

std::optional<std::uint32_t> StayingRows::take(std::uint64_t rows) {
  rows = std::max<std::uint64_t>(rows, 1);  // so that every base is distinct
  std::optional<std::uint64_t> at;
  if (fit_ == Fit::kNext) at = gap_from(next_, rows);
  if (!at) at = gap_from(begin_, rows);
  if (!at) return std::nullopt;
  taken_.emplace(*at, rows);
  next_ = *at + rows;
  return static_cast<std::uint32_t>(*at);
}

std::optional<std::uint32_t> StayingRows::take_last(std::uint64_t rows) {
  rows = std::max<std::uint64_t>(rows, 1);
  std::uint64_t end = end_;  // of the gap
  for (auto taken = taken_.rbegin(); taken != taken_.rend(); ++taken) {
    const auto& [base, count] = *taken;
    if (base + count + rows <= end) break;
    end = std::min(end, base);
  }
  if (end < begin_ + rows) return std::nullopt;
  taken_.emplace(end - rows, rows);
  return static_cast<std::uint32_t>(end - rows);
}

/// The lowest row from `first` on at which `rows` rows are free.
std::optional<std::uint64_t> StayingRows::gap_from(std::uint64_t first, std::uint64_t rows) const {
  std::uint64_t at = first;
  for (const auto& [base, count] : taken_) {
    if (base >= at + rows) break;
    at = std::max(at, base + count);
  }
  if (at > end_ || end_ - at < rows) return std::nullopt;
  return at;
}

void StayingRows::release(std::uint32_t base) {
  taken_.erase(base);
}

}  // namespace weft::compiler
