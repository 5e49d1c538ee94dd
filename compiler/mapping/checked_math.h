// Unsigned arithmetic on sizes that users choose. Throws InputError if a result exceeds 64 bits.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace weft {

inline std::uint64_t checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw InputError("matmul: the sizes are too large: " + std::to_string(a) + " x " +
                     std::to_string(b) + " does not fit 64 bits; use smaller M, K or N");
  }
  return product;
}

inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw InputError("matmul: the sizes are too large: " + std::to_string(a) + " + " +
                     std::to_string(b) + " does not fit 64 bits; use smaller M, K or N");
  }
  return sum;
}

}  // namespace weft
