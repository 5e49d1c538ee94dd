// Random matrices from a seed, the same on every platform. The C++ standard fixes the bits of
// std::mt19937_64, but not the algorithms of its distributions, so the bits are mapped to values
// here.
#pragma once

#include <cstdint>

#include "pe/element_type.h"
#include "sim/memory/matrix.h"

namespace weft {

/// The operand to draw. Each has a separate stream, so that changing the shape of one operand does
/// not change the others.
enum class RandomStream : std::uint64_t { kA = 1, kB = 2, kBias = 3 };

/// A matrix [rows, cols] of `type`. int8: uniform over -128..127. int32 (a bias): uniform over
/// -32768..32767. Floats: uniform in [-1, 1) in steps of 2^-23, rounded to the type.
/// Throws InputError if the size overflows.
Matrix random_matrix(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t seed,
                     RandomStream stream);

}  // namespace weft
