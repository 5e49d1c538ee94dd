// Integer arithmetic without undefined behavior. Sums, differences and products wrap as in two's
// complement. A quotient is truncated toward zero; the only one that does not fit (lowest / -1)
// wraps.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/error.h"

namespace weft::reference::tensor_ops {

/// The unsigned type in which arithmetic on T wraps; at least as wide as unsigned, so that nothing
/// is promoted to a signed type.
template <class T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

/// function(x, y) modulo 2^bits, for a function that uses only sums, differences and products.
template <class T, class Function>
T wrapping(T x, T y, Function function) {
  return static_cast<T>(function(static_cast<Wrapping<T>>(x), static_cast<Wrapping<T>>(y)));
}

template <class T>
T wrapping_negate(T x) {
  return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
}

template <class T>
void check_divisor(T y) {
  if (y != T{0}) return;
  throw InputError(
      "an integer is divided by zero; random inputs may have zeros, --input gives others");
}

/// Throws InputError if y is 0.
template <class T>
T truncated_quotient(T x, T y) {
  check_divisor(y);
  if constexpr (std::is_signed_v<T>) {
    if (y == T{-1}) return wrapping_negate(x);
  }
  return static_cast<T>(x / y);
}

/// What truncated_quotient() leaves; it has the sign of x. Throws InputError if y is 0.
template <class T>
T remainder_of(T x, T y) {
  check_divisor(y);
  if constexpr (std::is_signed_v<T>) {
    if (y == T{-1}) return T{0};
  }
  return static_cast<T>(x % y);
}

/// x to the power y, wrapping. If y < 0, the truncated reciprocal: 0 unless x is 1 or -1. Throws
/// InputError for 0 to a negative power.
template <class T>
T integer_power(T x, std::int64_t y) {
  if (y < 0) {
    if (x == T{1}) return x;
    if constexpr (std::is_signed_v<T>) {
      if (x == T{-1}) return y % 2 == 0 ? T{1} : x;
    }
    if (x == T{0}) throw InputError("an integer 0 is raised to a negative power");
    return T{0};
  }
  Wrapping<T> power = 1;
  for (auto factor = static_cast<Wrapping<T>>(x); y != 0; y /= 2, factor *= factor) {
    if (y % 2 != 0) power *= factor;
  }
  return static_cast<T>(power);
}

}  // namespace weft::reference::tensor_ops
