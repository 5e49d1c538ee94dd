// The rows that a row generator names, as runs of neighbouring rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "sim/isa/instruction.h"

namespace weft {

/// Indices [begin, end) of a loop.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The indices of [0, count) for which origin + index * step lies in [0, limit).
inline IndexRange indices_inside(const RowBound& bound, std::int64_t count) {
  if (bound.limit == 0) return {0, count};
  const std::int64_t limit = bound.limit;
  const std::int64_t origin = bound.origin;
  if (bound.step == 0) return {0, origin >= 0 && origin < limit ? count : 0};
  // Walking down from `origin` is walking up from its mirror image.
  const std::int64_t from = bound.step > 0 ? origin : limit - 1 - origin;
  const std::int64_t step = std::abs(std::int64_t{bound.step});
  const auto first_at_least = [&](std::int64_t value) {
    return value <= from ? 0 : (value - from + step - 1) / step;
  };
  const std::int64_t begin = std::min(count, first_at_least(0));
  return {begin, std::max(begin, std::min(count, first_at_least(limit)))};
}

/// Calls `function(first_row, end_row)` for runs that together are the UB rows which a matmul of
/// `rows` rows reads; padding rows are in none. Runs may repeat rows, as the generator may.
template <class Function>
void for_each_row_run(const RowGenerator& generator, std::uint32_t rows, Function&& function) {
  const auto& loops = generator.loops;
  const std::int64_t inner = std::max<std::int64_t>(1, loops[0].count);
  std::int64_t pending_begin = 0;  // neighbouring runs are reported as one
  std::int64_t pending_end = 0;
  const auto report = [&](std::int64_t begin, std::int64_t end) {
    if (begin == pending_end) {
      pending_end = end;
      return;
    }
    if (pending_begin < pending_end) {
      function(static_cast<std::uint64_t>(pending_begin), static_cast<std::uint64_t>(pending_end));
    }
    pending_begin = begin;
    pending_end = end;
  };
  for (std::int64_t done = 0; done < rows; done += inner) {
    const std::int64_t outer = done / inner;
    const std::int64_t y = outer % loops[1].count;
    const std::int64_t z = outer / loops[1].count;
    const IndexRange inside_y = indices_inside(generator.bounds[1], loops[1].count);
    if (y < inside_y.begin || y >= inside_y.end) continue;
    const std::int64_t base = std::int64_t{generator.base} + y * loops[1].stride +
                              z % loops[2].count * loops[2].stride +
                              z / loops[2].count * loops[3].stride;
    const IndexRange inside_x =
        indices_inside(generator.bounds[0], std::min<std::int64_t>(inner, rows - done));
    if (inside_x.begin == inside_x.end) continue;
    const std::int64_t stride = loops[0].stride;
    if (stride == 1) {
      report(base + inside_x.begin, base + inside_x.end);
    } else {
      for (std::int64_t x = inside_x.begin; x < inside_x.end; ++x) {
        report(base + x * stride, base + x * stride + 1);
      }
    }
  }
  report(-1, -1);
}

}  // namespace weft
