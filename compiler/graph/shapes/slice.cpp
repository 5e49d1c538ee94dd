#include "compiler/graph/shapes/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"

namespace weft::graph {
namespace {

std::int64_t clamped(std::int64_t position, std::int64_t extent, std::int64_t low,
                     std::int64_t high) {
  if (position < 0) position += extent;
  return std::max(low, std::min(position, high));
}

// The number of steps that fit in `span` positions. Unsigned, so that no step overflows.
std::int64_t steps_within(std::int64_t span, std::int64_t step) {
  if (span <= 0) return 0;
  const auto stride =
      step < 0 ? -static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  return static_cast<std::int64_t>(1 + (static_cast<std::uint64_t>(span) - 1) / stride);
}

SliceDim resolve(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) throw InputError("a step is 0");
  if (step > 0) {
    start = clamped(start, extent, 0, extent);
    return {start, step, steps_within(clamped(end, extent, 0, extent) - start, step)};
  }
  // A slice that runs backwards may end at position -1, before the first element.
  start = clamped(start, extent, -1, extent - 1);
  return {start, step, steps_within(start - clamped(end, extent, -1, extent - 1), step)};
}

std::vector<std::int64_t> resolved_axes(const Shape& shape, std::size_t count,
                                        std::vector<std::int64_t> axes) {
  if (axes.empty()) {
    axes.resize(count);
    std::iota(axes.begin(), axes.end(), 0);
  }
  return normalized_axes(axes, rank_of(shape));
}

}  // namespace

std::vector<SliceDim> resolve_slices(const Shape& shape, const std::vector<std::int64_t>& starts,
                                     const std::vector<std::int64_t>& ends,
                                     const std::vector<std::int64_t>& axes,
                                     const std::vector<std::int64_t>& steps) {
  const std::size_t count = starts.size();
  if (ends.size() != count || (!axes.empty() && axes.size() != count) ||
      (!steps.empty() && steps.size() != count)) {
    throw InputError(fmt::format("{} starts, {} ends, {} axes and {} steps do not fit together",
                                 count, ends.size(), axes.size(), steps.size()));
  }
  std::vector<SliceDim> result;
  for (const std::int64_t extent : shape) result.push_back({0, 1, extent});
  const std::vector<std::int64_t> where = resolved_axes(shape, count, axes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::size_t>(where[i]);
    result[axis] = resolve(shape[axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
  }
  return result;
}

std::pair<std::int64_t, std::int64_t> shape_range(const Attributes& attributes, std::int64_t rank) {
  const std::int64_t begin = clamped(attributes.integer("start", 0), rank, 0, rank);
  const std::int64_t end = clamped(attributes.integer("end", rank), rank, 0, rank);
  return {begin, std::max(begin, end)};
}

}  // namespace weft::graph
