// The sides that an array in this folder may have.
#pragma once

#include <cstdint>

namespace weft {

/// Small enough that every product of sizes in this folder fits 64 bits.
inline constexpr std::uint32_t kMaxArraySide = 1U << 20;

/// Throws InputError unless both sides are 1 to kMaxArraySide.
void check_array_sides(std::uint32_t rows, std::uint32_t cols);

}  // namespace weft
