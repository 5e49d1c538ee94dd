// Conversions between element types, as Cast defines them:
//   to float     rounded once to nearest even; infinity beyond the largest finite value
//   float -> int truncated toward zero; saturated to the type's range; a NaN becomes 0
//   int -> int   the low bits (two's complement)
//   to bool      true unless the value is zero; a NaN is true
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "compiler/graph/tensor.h"
#include "models/reference/cpu/tensor_ops/elements.h"

namespace weft::reference::tensor_ops {

template <class To>
To saturate(double value) {
  using Limits = std::numeric_limits<To>;
  if (value != value) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  // For int64 the bound is rounded up to 2^63, which is the first value that does not fit.
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<To>(value);
}

template <class To, class From>
To convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<From, graph::Half>) {
    return convert<To>(widen(from));
  } else if constexpr (std::is_same_v<To, bool>) {
    return from != From{};
  } else if constexpr (std::is_same_v<To, graph::Half>) {
    // binary64 is exact for every value that does not overflow binary16, so this rounds only once.
    return {to_fp16(static_cast<double>(from)).bits};
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return saturate<To>(static_cast<double>(from));
  } else {
    return static_cast<To>(from);
  }
}

/// Converts every element of `tensor`. Returns `tensor` itself if it already has the type.
graph::Tensor convert_tensor(const graph::Tensor& tensor, graph::DataType type);

}  // namespace weft::reference::tensor_ops
