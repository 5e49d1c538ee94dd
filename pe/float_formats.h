// bf16 and fp16 as bit patterns, and their conversions from and to binary32.
//
//   bf16  s eeeeeeee mmmmmmm        the upper half of a binary32
//   fp16  s eeeee mmmmmmmmmm        IEEE 754 binary16
//
// Widening is exact. Narrowing rounds to nearest even, keeps subnormals, overflows to infinity and
// turns every NaN into the quiet NaN of the format (0x7FC0, 0x7E00). Source: IEEE 754-2019, 4.3.1
// and 7.4; docs/numerics.md.
#pragma once

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

/// Exact.
float to_float(Bf16 value);
float to_float(Fp16 value);

/// Round to nearest even; NaN becomes the format's quiet NaN.
Bf16 to_bf16(float value);
Fp16 to_fp16(float value);

/// One rounding from binary64, not two by way of binary32.
Bf16 to_bf16(double value);
Fp16 to_fp16(double value);

}  // namespace weft
