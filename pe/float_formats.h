// bf16 and fp16 as bit patterns, and their conversions from and to binary32.
//
//   bf16  s eeeeeeee mmmmmmm        the upper half of a binary32
//   fp16  s eeeee mmmmmmmmmm        IEEE 754 binary16
//
// Widening is exact. Narrowing rounds to nearest even, keeps subnormals, overflows to infinity and
// turns every NaN into the quiet NaN of the format (0x7FC0, 0x7E00). Source: IEEE 754-2019, 4.3.1
// and 7.4; docs/numerics.md.
#pragma once

#include <bit>
#include <cstdint>

namespace weft {

struct Bf16 {
  std::uint16_t bits = 0;
  friend bool operator==(Bf16, Bf16) = default;
};

struct Fp16 {
  std::uint16_t bits = 0;
  friend bool operator==(Fp16, Fp16) = default;
};

/// Exact; a NaN keeps its payload. Inline and free of branches so that loops over it vectorize.
constexpr float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Exact; a NaN keeps its payload. No operation reads or makes a binary32 subnormal, so the result
/// does not depend on a flush-to-zero mode.
constexpr float to_float(Fp16 value) {
  constexpr std::uint32_t kRebias = (127U - 15U) << 23;  // binary16 exponent -> binary32 exponent
  constexpr std::uint32_t kSmallestNormal = 1U << 23;    // after the shift by 23 - 10
  constexpr std::uint32_t kInfinity = 31U << 23;
  constexpr std::uint32_t kTwoToMinus14 = kSmallestNormal + kRebias;
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = (value.bits & 0x7FFFU) << 13;
  const std::uint32_t normal = magnitude + kRebias;
  // Infinity and NaN move from exponent 31 to 255: the same step once more.
  const std::uint32_t special = normal + kRebias;
  // 0.m * 2^-14 is 1.m * 2^-14 minus its leading one; the difference is exact.
  const float subnormal =
      std::bit_cast<float>(magnitude + kTwoToMinus14) - std::bit_cast<float>(kTwoToMinus14);
  const std::uint32_t finite =
      magnitude < kSmallestNormal ? std::bit_cast<std::uint32_t>(subnormal) : normal;
  return std::bit_cast<float>(sign | (magnitude >= kInfinity ? special : finite));
}

/// Round to nearest even; NaN becomes the format's quiet NaN.
constexpr Bf16 to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return Bf16{0x7FC0};
  // Adds just under half of the last kept place, plus one if the kept part is odd. A tie then
  // carries exactly when the carry makes the result even. The carry may raise the exponent, up to
  // infinity, as the overflow rule demands.
  const std::uint32_t rounding = 0x7FFFU + ((bits >> 16) & 1U);
  return Bf16{static_cast<std::uint16_t>((bits + rounding) >> 16)};
}

Fp16 to_fp16(float value);

/// Rounds once, from binary64, and not a second time by way of binary32.
Bf16 to_bf16(double value);
Fp16 to_fp16(double value);

}  // namespace weft
