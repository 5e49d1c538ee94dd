// What one lane of the vector unit computes, as scalar functions that define each operator to the
// bit. Source: docs/numerics.md, "The vector unit".
//
// Sums, products, quotients and square roots round once, to binary32. The C math library evaluates
// exp, log, tanh, erf, pow and functions built on them in binary64; the result is rounded once. A
// NaN may have any payload here: no result depends on it, and stores make it canonical. Selections
// are free of branches so that loops over them vectorize.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "pe/arithmetic.h"
#include "pe/float_formats.h"
#include "sim/isa/instruction.h"

namespace weft::lane {

inline constexpr float kNan = std::bit_cast<float>(kCanonicalNan);

inline std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// --- two lanes ---

inline float add(float a, float b) {
  return a + b;
}
inline std::int32_t add(std::int32_t a, std::int32_t b) {
  return Int8Arithmetic::add(a, b);
}
inline float sub(float a, float b) {
  return a - b;
}
inline std::int32_t sub(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
inline float mul(float a, float b) {
  return a * b;
}
inline std::int32_t mul(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

/// NaN if either is NaN. The larger of two zeros is +0, unless both are -0.
inline float max(float a, float b) {
  const float larger = a > b ? a : b;
  const float equal = std::bit_cast<float>(bits(a) & bits(b));  // differ in the sign of zero only
  const float ordered = a == b ? equal : larger;
  return a != a || b != b ? kNan : ordered;
}
inline std::int32_t max(std::int32_t a, std::int32_t b) {
  return a > b ? a : b;
}

/// NaN if either is NaN. The smaller of two zeros is -0, unless both are +0.
inline float min(float a, float b) {
  const float smaller = a < b ? a : b;
  const float equal = std::bit_cast<float>(bits(a) | bits(b));
  const float ordered = a == b ? equal : smaller;
  return a != a || b != b ? kNan : ordered;
}
inline std::int32_t min(std::int32_t a, std::int32_t b) {
  return a < b ? a : b;
}

inline float pow(float a, float b) {
  return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
}

/// x, or x * y if x < 0.
inline float prelu(float x, float y) {
  const float scaled = x * y;
  return x < 0.0F ? scaled : x;
}

// --- one lane ---

/// x if x > 0, NaN if x is NaN, else +0.
template <class Word>
Word relu(Word x) {
  return x <= Word{0} ? Word{0} : x;
}

/// `low`, with its sign, for all x <= low; `high` for all x > high; otherwise x. NaN stays NaN.
template <class Word>
Word clamp(Word x, Word low, Word high) {
  const Word raised = x <= low ? low : x;
  return raised > high ? high : raised;
}

inline float neg(float x) {
  return -x;
}
inline std::int32_t neg(std::int32_t x) {
  return sub(0, x);
}
inline float abs(float x) {
  return std::bit_cast<float>(bits(x) & 0x7FFFFFFFU);
}
inline std::int32_t abs(std::int32_t x) {
  return x < 0 ? neg(x) : x;
}

inline float leaky_relu(float x, float alpha) {
  return prelu(x, alpha);
}

/// max(0, min(1, alpha*x + beta)); alpha*x + beta rounds twice.
inline float hard_sigmoid(float x, float alpha, float beta) {
  return max(0.0F, min(1.0F, alpha * x + beta));
}

inline float hard_swish(float x) {
  return x * hard_sigmoid(x, 1.0F / 6.0F, 0.5F);
}

inline float elu(float x, float alpha) {
  if (!(x < 0.0F)) return x;
  return static_cast<float>(static_cast<double>(alpha) * std::expm1(static_cast<double>(x)));
}

/// gamma * x above 0, else gamma * alpha * (exp(x) - 1).
inline float selu(float x, float alpha, float gamma) {
  if (!(x <= 0.0F)) return gamma * x;
  const double curve = static_cast<double>(alpha) * std::expm1(static_cast<double>(x));
  return static_cast<float>(static_cast<double>(gamma) * curve);
}

inline float sigmoid(float x) {
  return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x))));
}

/// log(exp(x) + 1) in its stable form.
inline float softplus(float x) {
  const auto wide = static_cast<double>(x);
  const double tail = std::log1p(std::exp(-std::fabs(wide)));
  return static_cast<float>(wide > 0 ? wide + tail : tail);
}

inline float tanh(float x) {
  return static_cast<float>(std::tanh(static_cast<double>(x)));
}
inline float erf(float x) {
  return static_cast<float>(std::erf(static_cast<double>(x)));
}
inline float exp(float x) {
  return static_cast<float>(std::exp(static_cast<double>(x)));
}
inline float log(float x) {
  return static_cast<float>(std::log(static_cast<double>(x)));
}
inline float sqrt(float x) {
  return std::sqrt(x);
}
inline float reciprocal(float x) {
  return 1.0F / x;
}

// --- from and to the formats of a row ---

inline float dequantized(std::int8_t q, float scale, std::int32_t zero) {
  return static_cast<float>(q - zero) * scale;
}

/// saturate(round_half_even(x / scale) + zero); `zero` must fit int8. NaN gives the zero point.
inline std::int8_t quantized(float x, float scale, std::int32_t zero) {
  constexpr float kFar = 512.0F;         // saturates with any zero point
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: numbers near it are whole, so adding rounds
  const float quotient = x / scale;
  const float raised = quotient < -kFar ? -kFar : quotient;
  const float limited = raised > kFar ? kFar : raised;
  const float real = quotient != quotient ? 0.0F : limited;
  const std::int32_t whole =
      std::bit_cast<std::int32_t>(real + kRound) - std::bit_cast<std::int32_t>(kRound);
  return static_cast<std::int8_t>(min(max(whole + zero, -128), 127));
}

inline std::int8_t saturated(std::int32_t x) {
  return static_cast<std::int8_t>(min(max(x, -128), 127));
}

/// to_bf16() without branches.
inline std::uint16_t bf16_bits(float x) {
  const std::uint32_t rounded = (bits(x) + 0x7FFFU + (bits(x) >> 16 & 1U)) >> 16;
  return static_cast<std::uint16_t>(x != x ? 0x7FC0U : rounded);
}

/// to_fp16() without branches. The subnormals of fp16 are 2^-24 apart, like binary32 numbers near
/// 0.5, so adding 0.5 rounds to them. For normal numbers, a carry out of the mantissa raises the
/// exponent, up to infinity.
inline std::uint16_t fp16_bits(float x) {
  constexpr std::uint32_t kRebias = (127U - 15U) << 23;
  constexpr std::uint32_t kSmallestNormal = kRebias + (1U << 23);
  constexpr std::uint32_t kTwoTo16 = (127U + 16U) << 23;
  const std::uint32_t magnitude = bits(x) & 0x7FFFFFFFU;
  const std::uint32_t normal = (magnitude - kRebias + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
  const std::uint32_t subnormal = bits(std::bit_cast<float>(magnitude) + 0.5F) - bits(0.5F);
  const std::uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
  const std::uint32_t number = magnitude >= kTwoTo16 ? 0x7C00U : finite;
  const std::uint32_t signed_number = number | (bits(x) >> 16 & 0x8000U);
  return static_cast<std::uint16_t>(x != x ? 0x7E00U : signed_number);
}

}  // namespace weft::lane
