// The rows of the unified buffer in which sheets and constants stay between layers.
//
//   first fit    the lowest gap that is large enough: leaves the largest gaps
//   next fit     the first such gap after the rows taken last, around the end: rows are used again
//                as late as possible, so that no instruction waits only for their last readers
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace weft::compiler {

enum class Fit : std::uint8_t { kFirst, kNext };

constexpr Fit other(Fit fit) {
  return fit == Fit::kFirst ? Fit::kNext : Fit::kFirst;
}

class StayingRows {
 public:
  /// Rows [begin, end) of the unified buffer.
  StayingRows(std::uint64_t begin, std::uint64_t end, Fit fit)
      : begin_(begin), end_(end), fit_(fit), next_(begin) {}

  /// Takes `rows` rows that stay until release(); nullopt if there is no gap of that size. If there
  /// is none after the rows taken last, the lowest gap is taken.
  std::optional<std::uint32_t> take(std::uint64_t rows);
  /// As take(), but always the highest gap. The next take() goes on where the last one ended.
  std::optional<std::uint32_t> take_last(std::uint64_t rows);
  void release(std::uint32_t base);
  /// The next search for a gap begins at the first row again.
  void restart() { next_ = begin_; }

 private:
  std::optional<std::uint64_t> gap_from(std::uint64_t first, std::uint64_t rows) const;

  std::uint64_t begin_;
  std::uint64_t end_;
  Fit fit_;
  std::uint64_t next_;                            // the row after those taken last
  std::map<std::uint64_t, std::uint64_t> taken_;  // first row -> rows
};

}  // namespace weft::compiler
