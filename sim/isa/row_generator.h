// The row generator of a matmul or vector instruction: which UB rows it reads, in which order.
//
//   for i3 < count3:                      row = base + i0*stride0 + i1*stride1
//     for i2 < count2:                             + i2*stride2 + i3*stride3
//       for i1 < count1:   <- bounds[1]
//         for i0 < count0: <- bounds[0]   padding where origin + i*step is outside [0, limit)
//
// The walk ends after `rows` rows, so the outer loops may be cut short. In a convolution, loops 0
// and 1 are x and y of an output pixel, base and origin contain the filter's offset, and the border
// is padding. The arithmetic fits 64 bits: the indices that are reached sum to less than 2^32, a
// stride is at most 2^31 in magnitude, and their products sum to less than 2^63.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/isa/instruction.h"

namespace weft {

/// One loop over `rows` rows from `base` on.
inline RowGenerator contiguous_rows(std::uint32_t base, std::uint32_t rows) {
  RowGenerator generator;
  generator.base = base;
  generator.loops[0] = {rows, 1};
  return generator;
}

/// Indices first_index .. first_index+count-1 of the walk read the UB rows first_row,
/// first_row+row_step, ...; row_step is 0 if count is 1.
struct RowRun {
  std::uint32_t first_index = 0;
  std::uint32_t count = 0;
  std::int64_t first_row = 0;
  std::int64_t row_step = 0;
  friend bool operator==(const RowRun&, const RowRun&) = default;
};

/// Smallest and largest UB row of a walk.
struct RowExtremes {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
};

/// The extremes of the first `rows` rows of the walk, without padding; nullopt if all are padding.
/// `rows` must be at most the product of the counts. Takes constant time.
std::optional<RowExtremes> row_extremes(const RowGenerator& generator, std::uint32_t rows);

/// How many of the first `rows` rows of the walk are not padding. `rows` must be at most the
/// product of the counts. Takes constant time.
std::uint64_t rows_without_padding(const RowGenerator& generator, std::uint32_t rows);

/// The product of the loop counts, 2^32 if it is larger.
std::uint64_t walk_length(const RowGenerator& generator);

namespace detail {

/// A loop whose indices [first, last) are in bounds.
struct BoundedLoop {
  std::uint64_t count = 1;
  std::int64_t stride = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 1;

  bool is_full() const { return first == 0 && last == count; }
  bool is_empty() const { return first >= last; }
};

/// The loops of a generator; neighboring loops that continue each other are merged.
struct MergedLoops {
  std::array<BoundedLoop, 4> loops{};
  std::array<std::uint64_t, 4> spans{};  // rows of one step of each loop, padding included
  std::size_t depth = 0;
};

MergedLoops merge_loops(const RowGenerator& generator);

template <class Function>
void walk_runs(const MergedLoops& merged, std::size_t level, std::uint64_t index, std::int64_t row,
               std::uint32_t rows, Function& function) {
  const BoundedLoop& loop = merged.loops[level];
  const std::uint64_t span = merged.spans[level];
  if (index >= rows) return;
  const std::uint64_t last = std::min(loop.last, (rows - index + span - 1) / span);
  if (level > 0) {
    for (std::uint64_t i = loop.first; i < last; ++i) {
      walk_runs(merged, level - 1, index + i * span,
                row + static_cast<std::int64_t>(i) * loop.stride, rows, function);
    }
  } else if (loop.first < last) {
    function(RowRun{static_cast<std::uint32_t>(index + loop.first),
                    static_cast<std::uint32_t>(last - loop.first),
                    row + static_cast<std::int64_t>(loop.first) * loop.stride,
                    last - loop.first == 1 ? 0 : loop.stride});
  }
}

}  // namespace detail

/// Calls function(RowRun) for the rows of the walk that are not padding, in order of index: one
/// call for each pass of the innermost loop. Loops that continue each other are merged first, so
/// that a contiguous walk is always one call. A pass of padding is no call.
template <class Function>
void for_each_run(const RowGenerator& generator, std::uint32_t rows, Function&& function) {
  const detail::MergedLoops merged = detail::merge_loops(generator);
  detail::walk_runs(merged, merged.depth - 1, 0, generator.base, rows, function);
}

/// Calls function(index, row) for every index 0 .. rows-1. `row` is the UB row as
/// optional<int64_t>, nullopt for padding.
template <class Function>
void for_each_row(const RowGenerator& generator, std::uint32_t rows, Function&& function) {
  std::uint32_t next = 0;
  const auto pad_until = [&](std::uint32_t index) {
    for (; next < index; ++next) function(next, std::optional<std::int64_t>());
  };
  for_each_run(generator, rows, [&](const RowRun& run) {
    pad_until(run.first_index);
    for (std::int64_t row = run.first_row; next < run.first_index + run.count; ++next) {
      function(next, std::optional<std::int64_t>(row));
      row += run.row_step;
    }
  });
  pad_until(rows);
}

}  // namespace weft
