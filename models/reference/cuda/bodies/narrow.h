// float32 to the operands of the tensor cores. Round to nearest even, subnormals kept, overflow to
// infinity, every NaN the format's quiet NaN: the numbers of pe/float_formats.h, in a form that
// compiles for a device too.
#pragma once

#include <bit>
#include <cstdint>

#include "models/reference/host_device.h"

namespace weft::cuda {

WEFT_HOST_DEVICE inline std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return 0x7FC0U;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

WEFT_HOST_DEVICE inline std::uint16_t fp16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return 0x7E00U;
  // 65520 lies half way between the largest finite value and 2^16: from there on infinity.
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    // Below 2^-14 the unit is 2^-24. Adding 0.5 to a smaller number leaves a multiple of 2^-24,
    // rounded as the sum of floats is: to nearest even.
    const float sum = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3F000000U));
  }
  // From exponent bias 127 to 15, and half of the 13 bits that go.
  const std::uint32_t rounded = magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13U) & 1U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}

WEFT_HOST_DEVICE inline float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Rounded to 11 bits, as TF32 has them: half away from zero, as the conversion instruction does.
WEFT_HOST_DEVICE inline float tf32_value(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7F800000U) == 0x7F800000U) return value;
  return std::bit_cast<float>((bits + 0x1000U) & ~0x1FFFU);
}

}  // namespace weft::cuda
