// rtl/widen_binary32.sv on all 65536 patterns of both formats, compared with pe/float_formats.h and
// with the formats' definition, field by field.
#include <gtest/gtest.h>

#include <cmath>

#include "Vwiden_bf16.h"
#include "Vwiden_fp16.h"
#include "pe/float_formats.h"

namespace weft {
namespace {

/// sign * 1.fraction * 2^(exponent - bias), or 0.fraction * 2^(1 - bias) for a subnormal. A NaN
/// keeps its fraction, aligned at the top of the wider field.
std::uint32_t by_definition(std::uint32_t pattern, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t sign = pattern >> 15 << 31;
  const int exponent = static_cast<int>(pattern >> fraction_bits) & ((1 << exponent_bits) - 1);
  const std::uint32_t fraction = pattern & ((1U << fraction_bits) - 1);
  if (exponent == (1 << exponent_bits) - 1) {
    return sign | 0x7F800000U | fraction << (23 - fraction_bits);
  }
  const double hidden = exponent == 0 ? 0 : 1;
  const double significand = hidden + std::ldexp(fraction, -fraction_bits);
  const double value = std::ldexp(significand, std::max(exponent, 1) - bias);
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

template <class Format, class Model>
void compare_all_patterns(int exponent_bits) {
  VerilatedContext context;
  Model model{&context};
  int mismatches = 0;
  for (std::uint32_t pattern = 0; pattern < 65536 && mismatches < 5; ++pattern) {
    model.element_i = static_cast<std::uint16_t>(pattern);
    model.eval();
    const float by_model = to_float(Format{static_cast<std::uint16_t>(pattern)});
    const bool equal = model.binary32_o == by_definition(pattern, exponent_bits) &&
                       model.binary32_o == std::bit_cast<std::uint32_t>(by_model);
    EXPECT_TRUE(equal) << std::hex << pattern << " becomes " << model.binary32_o
                       << ", by definition " << by_definition(pattern, exponent_bits) << ", in pe/ "
                       << std::bit_cast<std::uint32_t>(by_model);
    mismatches += !equal;
  }
}

TEST(WidenRtlTest, WidensEveryBf16Exactly) {
  compare_all_patterns<Bf16, Vwiden_bf16>(8);
}

TEST(WidenRtlTest, WidensEveryFp16Exactly) {
  compare_all_patterns<Fp16, Vwiden_fp16>(5);
}

}  // namespace
}  // namespace weft
