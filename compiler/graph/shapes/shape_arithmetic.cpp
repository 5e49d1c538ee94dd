#include "compiler/graph/shapes/shape_arithmetic.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::graph {
namespace {

[[noreturn]] void refuse_overflow() {
  throw InputError("the extents overflow 64 bits");
}

}  // namespace

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& extent = result[lead + i];
    if (extent == 1) extent = shorter[i];
    if (shorter[i] != 1 && shorter[i] != extent) {
      throw InputError(
          fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b)));
    }
  }
  return result;
}

std::int64_t normalized_axis(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) {
    throw InputError(
        fmt::format("axis {} is outside [{}, {}), as the rank is {}", axis, -rank, rank, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<std::int64_t> normalized_axes(const std::vector<std::int64_t>& axes,
                                          std::int64_t rank) {
  std::vector<bool> seen(static_cast<std::size_t>(rank), false);
  std::vector<std::int64_t> result;
  for (const std::int64_t axis : axes) {
    result.push_back(normalized_axis(axis, rank));
    auto entry = seen[static_cast<std::size_t>(result.back())];
    if (entry) throw InputError(fmt::format("axis {} occurs twice", axis));
    entry = true;
  }
  return result;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) refuse_overflow();
  return sum;
}

std::int64_t checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) refuse_overflow();
  return difference;
}

std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse_overflow();
  return product;
}

}  // namespace weft::graph
