// Converts float32 to the operand formats of the tensor cores. It rounds to nearest even, keeps
// subnormals, overflows to infinity, and turns every NaN into the format's quiet NaN. Results equal
// those of pe/float_formats.h, but this code also compiles for a device.
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
  // 65520 is halfway between the largest finite value and 2^16: infinity from there on.
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    // Below 2^-14 the unit is 2^-24. Adding 0.5 rounds the sum to a multiple of 2^-24, to nearest
    // even as every float sum.
    const float sum = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3F000000U));
  }
  // Changes the exponent bias from 127 to 15, and adds half of the 13 bits that are cut.
  const std::uint32_t rounded = magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13U) & 1U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}

WEFT_HOST_DEVICE inline float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Rounds to TF32's 11 significant bits, half away from zero, as the conversion instruction does.
WEFT_HOST_DEVICE inline float tf32_value(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7F800000U) == 0x7F800000U) return value;
  return std::bit_cast<float>((bits + 0x1000U) & ~0x1FFFU);
}

}  // namespace weft::cuda
