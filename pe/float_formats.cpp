#include "pe/float_formats.h"

namespace weft {
namespace {

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;

/// significand * 2^-drop, rounded to nearest even. 0 < drop.
std::uint64_t shift_right_to_nearest_even(std::uint64_t significand, int drop) {
  // The significand is below 2^53: a shift by 54 or more leaves less than a half.
  if (drop > kDoubleMantissaBits + 1) return 0;
  const std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  return kept + static_cast<std::uint64_t>(rest > half || (rest == half && (kept & 1U) != 0));
}

/// Rounds `value` to the 16-bit format that stores `kMantissaBits` bits of the mantissa.
///
///   value  1.mmmm...  * 2^e   (53 bits)
///          |kept|drop|        drop = 52 - kMantissaBits, more below the smallest normal
///
/// The exponent field is one too small, because the leading one of the kept bits is added to it. So
/// a carry out of the mantissa raises the exponent: from subnormal to normal, or from the largest
/// finite value to infinity.
template <int kMantissaBits>
std::uint16_t narrow(double value) {
  constexpr int kExponentBits = 15 - kMantissaBits;
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << kExponentBits) - 1) << kMantissaBits;
  constexpr std::uint64_t kQuietNan = kInfinity | (std::uint64_t{1} << (kMantissaBits - 1));
  constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << kDoubleMantissaBits;

  if (value != value) return static_cast<std::uint16_t>(kQuietNan);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << 15;
  const int double_exponent = static_cast<int>(bits >> kDoubleMantissaBits & 0x7FFU);
  // A binary64 zero or subnormal lies far below half of the smallest 16-bit subnormal.
  if (double_exponent == 0) return static_cast<std::uint16_t>(sign);
  const int exponent = double_exponent - kDoubleBias + kBias;
  if (exponent >= 1 << kExponentBits) return static_cast<std::uint16_t>(sign | kInfinity);
  const std::uint64_t significand = (bits & (kHiddenBit - 1)) | kHiddenBit;
  const int below_normal = exponent < 1 ? 1 - exponent : 0;
  const int drop = kDoubleMantissaBits - kMantissaBits + below_normal;
  const std::uint64_t base = exponent < 1 ? 0 : static_cast<std::uint64_t>(exponent - 1);
  const std::uint64_t rounded =
      (base << kMantissaBits) + shift_right_to_nearest_even(significand, drop);
  return static_cast<std::uint16_t>(sign | (rounded < kInfinity ? rounded : kInfinity));
}

}  // namespace

Fp16 to_fp16(float value) {
  // Widening to binary64 is exact, so this rounds once.
  return to_fp16(static_cast<double>(value));
}

Bf16 to_bf16(double value) {
  return Bf16{narrow<7>(value)};
}

Fp16 to_fp16(double value) {
  return Fp16{narrow<10>(value)};
}

}  // namespace weft
