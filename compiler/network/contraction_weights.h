// What the plans of convolutions and matrix products share: reasons for refusing them, and integer
// weights and biases with their zero points.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/constant.h"
#include "compiler/network/layers.h"

namespace weft::network {

inline constexpr const char* kUnreadable =
    "its input does not lie in rows of channels, or has a type that the array lacks";
inline constexpr const char* kComputedWeights = "its weights are computed";
inline constexpr const char* kWideZeroPoint = "its weights less their zero point do not fit int8";

inline std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

MakeTensor make_of(const graph::Constant& constant);

/// The int32 bias [n], zeros if there is none, less `zero` times the sum of each column's weights
/// less their zero point, so that activations may enter with theirs; modulo 2^32, as the
/// accumulators count.
MakeTensor folded_bias(MakeTensor bias, ConstantWeights weights, std::int32_t zero, std::int64_t n);

/// True if every weight less the zero point fits int8.
bool fits_int8(const graph::Constant& weights, std::int32_t zero_point);

/// The one zero point of weights, in their own numbers; nothing if there are several. 0 if there is
/// no constant.
std::optional<std::int32_t> weight_zero_point(const graph::Constant* constant);

}  // namespace weft::network
