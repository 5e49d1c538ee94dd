// Rows of equal length, all in one block of memory and zero at first: what unified buffer and
// accumulators are. A row outside is an error of the simulated machine, never of the simulator.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/config/error.h"

namespace weft {

template <class T>
class RowBuffer {
 public:
  /// `name` is how errors call it. The product of the sizes is bounded by the configuration's
  /// ranges; throws ConfigError if it does not fit this computer's address space even so.
  RowBuffer(std::string_view name, std::uint64_t rows, std::uint64_t row_size)
      : name_(name), rows_(rows), row_size_(row_size) {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(rows, row_size, &size) || size > values_.max_size()) {
      throw ConfigError(fmt::format("{}: {} rows of {} are too many", name, rows, row_size));
    }
    values_.resize(size);
  }

  std::uint64_t rows() const { return rows_; }
  /// Values in one row.
  std::uint64_t row_size() const { return row_size_; }

  /// Row `index`. Throws SimulationError if there is none.
  std::span<T> row(std::uint64_t index) { return rows_from(index, 1); }
  std::span<const T> row(std::uint64_t index) const { return rows_from(index, 1); }

  /// `count` rows from `first` on, which lie one after the other. Throws SimulationError.
  std::span<T> rows_from(std::uint64_t first, std::uint64_t count) {
    check(first, count);
    return std::span(values_).subspan(first * row_size_, count * row_size_);
  }
  std::span<const T> rows_from(std::uint64_t first, std::uint64_t count) const {
    check(first, count);
    return std::span(values_).subspan(first * row_size_, count * row_size_);
  }

 private:
  void check(std::uint64_t first, std::uint64_t count) const {
    if (first <= rows_ && count <= rows_ - first) return;
    throw SimulationError(
        fmt::format("{}: {} rows from {} on, but there are only {}", name_, count, first, rows_));
  }

  std::string_view name_;
  std::uint64_t rows_;
  std::uint64_t row_size_;
  std::vector<T> values_;
};

}  // namespace weft
