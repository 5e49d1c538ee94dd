#include "sim/isa/row_generator.h"

namespace weft {
namespace {

using detail::BoundedLoop;
using detail::MergedLoops;

constexpr std::uint64_t kEndless = std::uint64_t{1} << 32U;

/// The number of steps of `step` >= 1 from 0 to at least `distance`; 0 for a distance below 1.
std::uint64_t steps_to(std::int64_t distance, std::int64_t step) {
  return distance <= 0 ? 0 : static_cast<std::uint64_t>((distance + step - 1) / step);
}

/// The loop with the range of indices for which origin + index*step lies in [0, limit). A loop
/// without steps becomes one step out of bounds.
BoundedLoop bounded_loop(const RowLoop& loop, const RowBound& bound) {
  if (loop.count == 0) return {1, loop.stride, 0, 0};
  BoundedLoop result{loop.count, loop.stride, 0, loop.count};
  if (bound.limit == 0) return result;
  const std::int64_t origin = bound.origin;
  const std::int64_t limit = bound.limit;
  const std::int64_t step = bound.step;
  std::uint64_t first = 0;
  std::uint64_t last = loop.count;
  if (step == 0) {
    last = origin >= 0 && origin < limit ? last : 0;
  } else if (step > 0) {
    first = steps_to(-origin, step);
    last = steps_to(limit - origin, step);
  } else {
    first = steps_to(origin - limit + 1, -step);
    last = steps_to(origin + 1, -step);
  }
  result.last = std::min<std::uint64_t>(last, loop.count);
  result.first = std::min(first, result.last);
  return result;
}

std::array<BoundedLoop, 4> bounded_loops(const RowGenerator& generator) {
  constexpr RowBound kUnbounded{};
  return {bounded_loop(generator.loops[0], generator.bounds[0]),
          bounded_loop(generator.loops[1], generator.bounds[1]),
          bounded_loop(generator.loops[2], kUnbounded),
          bounded_loop(generator.loops[3], kUnbounded)};
}

std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kEndless / a ? kEndless : std::min(a * b, kEndless);
}

/// Rows of one step of each loop: the product of the counts inside it.
std::array<std::uint64_t, 4> loop_spans(const std::array<BoundedLoop, 4>& loops) {
  std::array<std::uint64_t, 4> spans{1, 1, 1, 1};
  for (std::size_t i = 1; i < 4; ++i) spans[i] = capped_product(spans[i - 1], loops[i - 1].count);
  return spans;
}

/// An index for each loop.
using Indices = std::array<std::uint64_t, 4>;

/// Calls function(first, last) for boxes that hold the first `rows` indices of the walk, each once.
/// Write `rows` in the mixed radix of the loop counts. The indices are then at most four boxes, one
/// per loop: the loops outside it are at their digit of `rows`, this loop is below its digit, and
/// the loops inside it are free. Index j of a box lies in [first[j], last[j]).
template <class Function>
void for_each_box(const std::array<BoundedLoop, 4>& loops, std::uint32_t rows,
                  const Function& function) {
  const Indices spans = loop_spans(loops);
  Indices first{0, 0, 0, 0};
  Indices last{};
  for (std::size_t j = 0; j < 4; ++j) last[j] = loops[j].count;
  std::uint64_t left = rows;
  for (std::size_t j = 4; j-- > 0;) {
    const std::uint64_t digit = left / spans[j];
    left %= spans[j];
    last[j] = digit;
    function(first, last);
    first[j] = digit;
    last[j] = digit + 1;
  }
}

/// The rows of a box that are in bounds. Starts at the outermost loop, so that it leaves an empty
/// box before the product can overflow.
std::uint64_t rows_of_box(const std::array<BoundedLoop, 4>& loops, const Indices& first,
                          const Indices& last) {
  std::uint64_t rows = 1;
  for (std::size_t j = 4; j-- > 0;) {
    const std::uint64_t low = std::max(first[j], loops[j].first);
    const std::uint64_t high = std::min(last[j], loops[j].last);
    if (low >= high) return 0;
    rows *= high - low;
  }
  return rows;
}

/// Extends `extremes` by the rows of a box that are in bounds; they are at its corners.
/// Starts at the outermost loop, so that it leaves an empty box before the sum can overflow.
void include_box(const std::array<BoundedLoop, 4>& loops, const Indices& first, const Indices& last,
                 std::int64_t base, std::optional<RowExtremes>& extremes) {
  RowExtremes box{base, base};
  for (std::size_t j = 4; j-- > 0;) {
    const std::uint64_t low = std::max(first[j], loops[j].first);
    const std::uint64_t high = std::min(last[j], loops[j].last);
    if (low >= high) return;
    const std::int64_t at_low = static_cast<std::int64_t>(low) * loops[j].stride;
    const std::int64_t at_high = static_cast<std::int64_t>(high - 1) * loops[j].stride;
    box.lowest += std::min(at_low, at_high);
    box.highest += std::max(at_low, at_high);
  }
  if (!extremes) extremes = box;
  extremes->lowest = std::min(extremes->lowest, box.lowest);
  extremes->highest = std::max(extremes->highest, box.highest);
}

}  // namespace

std::uint64_t walk_length(const RowGenerator& generator) {
  std::uint64_t product = 1;
  for (const RowLoop& loop : generator.loops) product = capped_product(product, loop.count);
  return product;
}

std::optional<RowExtremes> row_extremes(const RowGenerator& generator, std::uint32_t rows) {
  const std::array<BoundedLoop, 4> loops = bounded_loops(generator);
  std::optional<RowExtremes> extremes;
  for_each_box(loops, rows, [&](const Indices& first, const Indices& last) {
    include_box(loops, first, last, generator.base, extremes);
  });
  return extremes;
}

std::uint64_t rows_without_padding(const RowGenerator& generator, std::uint32_t rows) {
  if (generator.bounds[0].limit == 0 && generator.bounds[1].limit == 0) return rows;
  const std::array<BoundedLoop, 4> loops = bounded_loops(generator);
  std::uint64_t count = 0;
  for_each_box(loops, rows, [&](const Indices& first, const Indices& last) {
    count += rows_of_box(loops, first, last);
  });
  return count;
}

MergedLoops detail::merge_loops(const RowGenerator& generator) {
  MergedLoops merged;
  merged.depth = 1;  // begins with one step of stride 0, which merges with any loop
  merged.spans.fill(1);
  const std::array<BoundedLoop, 4> loops = bounded_loops(generator);
  for (const BoundedLoop& outer : loops) {
    BoundedLoop& inner = merged.loops[merged.depth - 1];
    const std::int64_t reach = static_cast<std::int64_t>(inner.count) * inner.stride;
    if (outer.is_empty()) return {{outer}, {1, 1, 1, 1}, 1};
    if (inner.count == 1) {
      inner = outer;
    } else if (outer.count == 1) {
      continue;
    } else if (inner.is_full() && reach == outer.stride) {
      inner.first = outer.first * inner.count;
      inner.last = std::min(outer.last * inner.count, kEndless);
      inner.count = capped_product(inner.count, outer.count);
    } else {
      merged.spans[merged.depth] = capped_product(merged.spans[merged.depth - 1], inner.count);
      merged.loops[merged.depth++] = outer;
    }
  }
  return merged;
}

}  // namespace weft
