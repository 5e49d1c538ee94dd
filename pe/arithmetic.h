// The multiply-accumulate of one PE and the addition of the accumulators, for each array type.
//
// int8: signed 8x8 bit product, 32-bit two's-complement sum that wraps.
// bf16, fp16: one IEEE 754 binary32 fusedMultiplyAdd on the widened operands: a single rounding to
// nearest even, subnormals kept, every NaN canonical (0x7FC00000). Source: docs/numerics.md.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "pe/element_type.h"
#include "pe/float_formats.h"

namespace weft {

inline constexpr std::uint32_t kCanonicalNan = 0x7FC00000U;

/// Returns the canonical NaN for every NaN, and other values unchanged.
inline float canonical(float value) {
  return std::isnan(value) ? std::bit_cast<float>(kCanonicalNan) : value;
}

/// The bf16 that widens to `value`. Unlike to_bf16(), it never rounds and keeps a NaN's payload.
inline std::uint16_t unwidened(Bf16, float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// The same for fp16.
inline std::uint16_t unwidened(Fp16, float value) {
  constexpr std::uint32_t kRebias = 127U - 15U;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t exponent = bits >> 23 & 0xFFU;
  const std::uint32_t fraction = bits >> 13 & 0x3FFU;
  if (exponent == 255) return static_cast<std::uint16_t>(sign | 31U << 10 | fraction);
  if (exponent <= kRebias) {  // a subnormal of fp16, or zero: a whole multiple of 2^-24
    return static_cast<std::uint16_t>(sign |
                                      static_cast<std::uint32_t>(std::fabs(value) * 0x1p24F));
  }
  return static_cast<std::uint16_t>(sign | (exponent - kRebias) << 10 | fraction);
}

/// Element: as stored in the unified buffer. Operand: as multiplied. Psum: as accumulated.
struct Int8Arithmetic {
  using Element = std::int8_t;
  using Operand = std::int8_t;
  using Psum = std::int32_t;
  static constexpr ElementType kType = ElementType::kInt8;

  static Operand widen(Element value) { return value; }
  /// The element whose bit pattern is the low byte of `bits`.
  static Element from_bits(std::uint16_t bits) { return static_cast<Element>(bits & 0xFFU); }
  /// The bit pattern of an operand, in the low byte: to_bits(widen(from_bits(b))) is b's low byte.
  static std::uint16_t to_bits(Operand value) { return static_cast<std::uint8_t>(value); }
  /// psum + act * weight modulo 2^32.
  static Psum mac(Operand act, Operand weight, Psum psum) {
    return static_cast<Psum>(static_cast<std::uint32_t>(psum) +
                             static_cast<std::uint32_t>(std::int32_t{act} * std::int32_t{weight}));
  }
  /// a + b modulo 2^32.
  static Psum add(Psum a, Psum b) {
    return static_cast<Psum>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};

/// Shared by bf16 and fp16, which differ only in how an element widens to binary32.
template <class Format, ElementType kElementType>
struct FloatArithmetic {
  using Element = Format;
  using Operand = float;
  using Psum = float;
  static constexpr ElementType kType = kElementType;

  static Operand widen(Element value) { return to_float(value); }
  static Element from_bits(std::uint16_t bits) { return Element{bits}; }
  /// The bit pattern of the element that widens to `value`; `value` must be a widened element.
  static std::uint16_t to_bits(Operand value) { return unwidened(Format{}, value); }
  static Psum mac(Operand act, Operand weight, Psum psum) {
    return canonical(std::fma(act, weight, psum));
  }
  static Psum add(Psum a, Psum b) { return canonical(a + b); }
};

using Bf16Arithmetic = FloatArithmetic<Bf16, ElementType::kBf16>;
using Fp16Arithmetic = FloatArithmetic<Fp16, ElementType::kFp16>;

/// Calls `function` with the arithmetic of `type`, e.g. `[&]<class A>(A) { run<A>(); }`.
/// `type` must be an array type.
template <class Function>
decltype(auto) with_arithmetic(ElementType type, Function&& function) {
  switch (type) {
    case ElementType::kBf16:
      return function(Bf16Arithmetic{});
    case ElementType::kFp16:
      return function(Fp16Arithmetic{});
    default:
      return function(Int8Arithmetic{});
  }
}

}  // namespace weft
