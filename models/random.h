// Random matrices from a seed, the same on every platform: the bits of std::mt19937_64 are fixed by
// the C++ standard, and they are mapped to values here, because the standard leaves the algorithms
// of its own distributions open.
#pragma once

#include <cstdint>

#include "pe/element_type.h"
#include "sim/memory/matrix.h"

namespace weft {

/// Which operand is drawn: each has a stream of its own, so that a change of one operand's shape
/// leaves the others as they were.
enum class RandomStream : std::uint64_t { kA = 1, kB = 2, kBias = 3 };

/// A matrix [rows, cols] of `type`. int8: uniform over -128..127. int32 (a bias): uniform over
/// -32768..32767. Floats: uniform in [-1, 1) in steps of 2^-23, rounded to the type.
/// Throws InputError if the size overflows.
Matrix random_matrix(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t seed,
                     RandomStream stream);

}  // namespace weft
