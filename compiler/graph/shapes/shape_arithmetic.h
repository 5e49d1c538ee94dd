// Arithmetic on shapes: broadcasting, axes that count from the end, and extents that throw on
// overflow.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::graph {

/// The shape to which `a` and `b` broadcast, as in NumPy. Throws InputError if they do not fit.
Shape broadcast(const Shape& a, const Shape& b);

/// `axis` counted from the first dimension. Throws InputError unless -rank <= axis < rank.
std::int64_t normalized_axis(std::int64_t axis, std::int64_t rank);

/// `axes` counted from the first of `rank` dimensions. Throws InputError if an axis is out of range
/// or occurs twice.
std::vector<std::int64_t> normalized_axes(const std::vector<std::int64_t>& axes, std::int64_t rank);

inline std::int64_t rank_of(const Shape& shape) {
  return static_cast<std::int64_t>(shape.size());
}

/// a + b, a - b and a * b. Throw InputError if the result does not fit in 64 bits.
std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_sub(std::int64_t a, std::int64_t b);
std::int64_t checked_mul(std::int64_t a, std::int64_t b);

}  // namespace weft::graph
