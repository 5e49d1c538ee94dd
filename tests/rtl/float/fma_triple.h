// Operands of a fused multiply-add as bit patterns; the oracle is the host's std::fma.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace weft::test {

struct FmaTriple {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

inline constexpr std::uint32_t kSignBit = 0x80000000U;
inline constexpr std::uint32_t kInfinityBits = 0x7F800000U;
inline constexpr std::uint32_t kSmallestNormalBits = 0x00800000U;

constexpr std::uint32_t magnitude(std::uint32_t bits) {
  return bits & ~kSignBit;
}

/// Computes a * b + c on the host with one rounding; every NaN is 0x7FC00000.
inline std::uint32_t host_fma(FmaTriple t) {
  const float sum =
      std::fma(std::bit_cast<float>(t.a), std::bit_cast<float>(t.b), std::bit_cast<float>(t.c));
  return std::isnan(sum) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(sum);
}

}  // namespace weft::test
