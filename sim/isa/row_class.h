// The rows that a strided walk touches within a range: the rows with the same remainder.
//
//   step 3, phase 1    0 [1] 2 3 [4] 5 6 [7] 8 ...
//
// A history of rows stores classes of whole ranges instead of one entry per row. For example, a
// convolution of stride 2 reads a line of thousands of pixels as one class.
#pragma once

#include <cstdint>

namespace weft {

/// Rows r with r mod step = phase; all rows by default. step is at least 1, phase is below step.
struct RowClass {
  std::uint64_t step = 1;
  std::uint64_t phase = 0;

  /// The class of every `step`-th row, `row` among them.
  static constexpr RowClass of(std::uint64_t row, std::uint64_t step) { return {step, row % step}; }

  constexpr bool contains(std::uint64_t row) const { return row % step == phase; }
  /// The first row of the class from `begin` on.
  constexpr std::uint64_t first_from(std::uint64_t begin) const {
    return begin + (phase + step - begin % step) % step;
  }
  /// Whether a row of [begin, end) belongs to the class.
  constexpr bool meets(std::uint64_t begin, std::uint64_t end) const {
    return first_from(begin) < end;
  }
  /// Whether every row of `other` belongs to this class.
  constexpr bool covers(const RowClass& other) const {
    return other.step % step == 0 && contains(other.phase);
  }
  friend constexpr bool operator==(const RowClass&, const RowClass&) = default;
};

}  // namespace weft
