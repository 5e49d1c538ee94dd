// The ends of a type's range, infinities included.
#pragma once

#include <limits>

namespace weft::reference::tensor_ops {

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
