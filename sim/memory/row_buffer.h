// Rows of equal length in one block of memory, zero at first; the base of the unified buffer and of
// the accumulators. Access to a row that does not exist is an error of the simulated machine.
//
// The zeros are written when a row is first used, a few rows at once: a short program does not need
// all of a large buffer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weft {

template <class T>
class RowBuffer {
 public:
  /// `name` is the name in errors. Throws ConfigError if the product of the sizes does not fit this
  /// computer's address space, although the configuration bounds the sizes.
  RowBuffer(std::string_view name, std::uint64_t rows, std::uint64_t row_size)
      : name_(name), rows_(rows), row_size_(row_size) {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(rows, row_size, &size) || size > kMostValues) {
      throw ConfigError(fmt::format("{}: {} rows of {} are too many", name, rows, row_size));
    }
    values_ = std::make_unique_for_overwrite<T[]>(size);
    is_ready_.resize((rows + kRowsAtOnce - 1) / kRowsAtOnce);
  }

  std::uint64_t rows() const { return rows_; }
  /// Values in one row.
  std::uint64_t row_size() const { return row_size_; }

  /// Row `index`. Throws SimulationError if there is none.
  std::span<T> row(std::uint64_t index) { return rows_from(index, 1); }
  std::span<const T> row(std::uint64_t index) const { return rows_from(index, 1); }

  /// `count` rows from `first` on, contiguous in memory. Throws SimulationError.
  std::span<T> rows_from(std::uint64_t first, std::uint64_t count) {
    check(first, count);
    make_ready(first, count);
    return {&values_[first * row_size_], count * row_size_};
  }
  std::span<const T> rows_from(std::uint64_t first, std::uint64_t count) const {
    check(first, count);
    make_ready(first, count);
    return {&values_[first * row_size_], count * row_size_};
  }

 private:
  static constexpr std::uint64_t kRowsAtOnce = 32;
  static constexpr std::uint64_t kMostValues =
      std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);

  void make_ready(std::uint64_t first, std::uint64_t count) const {
    for (std::uint64_t block = first / kRowsAtOnce; block * kRowsAtOnce < first + count; ++block) {
      if (is_ready_[block] != 0) continue;
      const std::uint64_t begin = block * kRowsAtOnce;
      const std::uint64_t end = std::min(begin + kRowsAtOnce, rows_);
      std::fill(&values_[begin * row_size_],
                &values_[begin * row_size_] + (end - begin) * row_size_, T{});
      is_ready_[block] = 1;
    }
  }

  void check(std::uint64_t first, std::uint64_t count) const {
    if (first <= rows_ && count <= rows_ - first) return;
    throw SimulationError(
        fmt::format("{}: {} rows from {} on, but there are only {}", name_, count, first, rows_));
  }

  std::string_view name_;
  std::uint64_t rows_;
  std::uint64_t row_size_;
  std::unique_ptr<T[]> values_;
  mutable std::vector<std::uint8_t> is_ready_;  // by block of kRowsAtOnce rows
};

}  // namespace weft
