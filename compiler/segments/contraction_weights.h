// Shared by the plans of convolutions and matrix products: reasons to refuse them, and integer
// weights and biases with their zero points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/graph/constant.h"
#include "compiler/layers/layers.h"
#include "compiler/rows/unsigned_of.h"

namespace weft::compiler {

inline constexpr const char* kUnreadableByArray =
    "its input does not lie in rows of channels, or has a type that the array lacks";
inline constexpr const char* kComputedWeights = "its weights are computed";
inline constexpr const char* kTooManyRows = "it sums more rows than the buffer can hold";

MakeTensor make_of(const graph::Constant& constant);

/// Returns the int32 bias [n] (zeros if `bias` is null) minus `correction` times the sum of each
/// column of weights, taken minus their zero point. Activations may then enter the array with their
/// own zero point. Arithmetic is modulo 2^32, as in the accumulators. Several matrices (all
/// kMatrix) give one bias each: [matrices, n]. Returns `bias` unchanged if there is nothing to
/// correct.
MakeTensor folded_bias(MakeTensor bias, ConstantWeights weights,
                       std::optional<std::int32_t> correction, std::int64_t n,
                       std::int64_t matrices = 1);

/// How many int8 numbers must be added to make any weight minus the zero point: 1, 2 or 3. Only a
/// difference of 255 takes 3: two int8 numbers make at most 254, while -255 is -128 - 127.
std::int64_t int8_pieces(const graph::Constant& weights, std::int32_t zero_point);

/// The note in the layer table on weights in several pieces; empty for one piece.
std::string pieces_note(std::int64_t pieces);

/// The one zero point of weights, in the weights' own type; nullopt if there are several. Returns 0
/// if `constant` is null.
std::optional<std::int32_t> weight_zero_point(const graph::Constant* constant);

}  // namespace weft::compiler
