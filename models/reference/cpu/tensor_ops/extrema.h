// The smaller and the larger of two numbers, and the ends of a type's range.
#pragma once

#include <limits>

namespace weft::reference::tensor_ops {

/// The smaller of two numbers. If one is a NaN, the result is that NaN. Of two zeros, the result is
/// the first.
struct Smaller {
  template <class T>
  T operator()(T x, T y) const {
    return y < x || y != y ? y : x;
  }
};

/// The larger of two numbers, with the same rules.
struct Larger {
  template <class T>
  T operator()(T x, T y) const {
    return y > x || y != y ? y : x;
  }
};

/// True if x comes after y in the order of numbers, where a NaN is larger than every number.
template <class T>
bool above(T x, T y) {
  return x > y || (x != x && y == y);
}

/// The ends of T's range, infinities included.
template <class T>
constexpr T highest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T>
constexpr T lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

}  // namespace weft::reference::tensor_ops
