// What the plans of convolutions and matrix products share: reasons for refusing them, and integer
// weights and biases with their zero points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/graph/constant.h"
#include "compiler/network/layers.h"

namespace weft::network {

inline constexpr const char* kUnreadableByArray =
    "its input does not lie in rows of channels, or has a type that the array lacks";
inline constexpr const char* kComputedWeights = "its weights are computed";
inline constexpr const char* kTooManyRows = "its sums are over more rows than the buffer can hold";

inline std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

MakeTensor make_of(const graph::Constant& constant);

/// The int32 bias [n], zeros if there is none, less the zero point `correction` times the sum of
/// each column's weights less their zero point, so that activations may enter with theirs; modulo
/// 2^32, as the accumulators count. For several matrices, kMatrix all of them, one each:
/// [matrices, n]. The bias as it is if there is nothing to correct.
MakeTensor folded_bias(MakeTensor bias, ConstantWeights weights,
                       std::optional<std::int32_t> correction, std::int64_t n,
                       std::int64_t matrices = 1);

/// How many int8 numbers must be added to make any of the weights less the zero point: 1, 2, or 3
/// if one of them is 255: -255 is -128-127, but two cannot make more than 254.
std::int64_t int8_pieces(const graph::Constant& weights, std::int32_t zero_point);

/// What the layer table says of weights in several pieces; empty for one.
std::string pieces_note(std::int64_t pieces);

/// The one zero point of weights, in their own numbers; nothing if there are several. 0 if there is
/// no constant.
std::optional<std::int32_t> weight_zero_point(const graph::Constant* constant);

}  // namespace weft::network
