#include "tests/rtl/float/triple_generator.h"

#include <algorithm>
#include <string_view>

namespace weft::test {
namespace {

constexpr int kBias = 127;
constexpr int kFractionBits = 23;
constexpr std::uint32_t kFractionMask = (1U << kFractionBits) - 1;

int exponent_field(std::uint32_t bits) {
  return static_cast<int>(magnitude(bits) >> kFractionBits);
}

/// The arithmetic exponent; subnormals have the exponent of the smallest normal number.
int exponent(std::uint32_t bits) {
  return std::max(exponent_field(bits), 1) - kBias;
}

bool is_subnormal(std::uint32_t bits) {
  return magnitude(bits) != 0 && magnitude(bits) < kSmallestNormalBits;
}

bool is_finite(std::uint32_t bits) {
  return magnitude(bits) < kInfinityBits;
}

}  // namespace

std::uint32_t TripleGenerator::below(std::uint32_t bound) {
  // The remainder's bias, 2^-32 times the bound, does not matter here.
  return static_cast<std::uint32_t>(random_() >> 32U) % bound;
}

std::uint32_t TripleGenerator::sign() {
  return below(2) << 31U;
}

/// 23 fraction bits: random, few ones at the top, few at the bottom, or nearly all ones.
std::uint32_t TripleGenerator::significand() {
  const std::uint32_t bits = below(1U << kFractionBits);
  switch (below(8)) {
    case 0:
      return bits & ~(kFractionMask >> below(8));
    case 1:
      return bits >> (16 + below(8));
    case 2:
      return kFractionMask - (bits >> (20 + below(4)));
    default:
      return bits;
  }
}

/// A normal number of random sign; clamps the exponent to the normal range.
std::uint32_t TripleGenerator::number(int exponent) {
  const auto field = static_cast<std::uint32_t>(std::clamp(exponent + kBias, 1, 254));
  const std::uint32_t sign = this->sign();
  return sign | field << kFractionBits | significand();
}

std::uint32_t TripleGenerator::subnormal() {
  const std::uint32_t bits = below(kSmallestNormalBits) >> below(24);
  return sign() | std::max(bits, 1U);
}

/// A number with an exponent field at either end: subnormal, smallest normal, or largest.
std::uint32_t TripleGenerator::edge() {
  static constexpr std::array<std::uint32_t, 6> kFields = {0, 1, 2, 252, 253, 254};
  const std::uint32_t field = kFields[below(kFields.size())];
  const std::uint32_t sign = this->sign();
  return sign | field << kFractionBits | significand();
}

FmaTriple TripleGenerator::uniform() {
  const std::uint64_t bits = random_();
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U),
          static_cast<std::uint32_t>(random_())};
}

/// The addend is the negative of the rounded product, within a few units in the last place.
FmaTriple TripleGenerator::cancellation() {
  FmaTriple t{number(static_cast<int>(below(120)) - 60), number(static_cast<int>(below(120)) - 60),
              0};
  const std::uint32_t product = host_fma({t.a, t.b, 0}) ^ kSignBit;
  t.c = below(4) == 0 ? product : product + (below(9) - 4) * (1U << below(14));
  return t;
}

/// The product is an odd number of halves of the addend's last place, or almost.
///
///   addend   1.xxxxxxxxxxxxxxxxxxxxxxx          exponent e
///   product              oooooooooooo1          last one at e - 24
FmaTriple TripleGenerator::tie() {
  const std::uint32_t bits = 1 + below(20);
  const std::uint32_t odd = (below(1U << 20U) >> (20 - bits)) | 1U;
  const int addend_exponent = static_cast<int>(below(160)) - 80;
  const int scale = static_cast<int>(below(40)) - 20;
  const auto power = [](int e) { return static_cast<std::uint32_t>(e + kBias) << kFractionBits; };
  const float factor = std::ldexp(static_cast<float>(odd), scale);
  FmaTriple t{std::bit_cast<std::uint32_t>(factor) | sign(), power(addend_exponent - 24 - scale),
              number(addend_exponent)};
  if (below(2) == 0) t.a += below(3) - 1;
  return t;
}

/// The product alone is halfway between two numbers; a far smaller addend decides.
FmaTriple TripleGenerator::near_tie() {
  const auto odd = [&](std::uint32_t bits) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(below(1U << bits) | 1U << bits | 1U));
  };
  const std::uint32_t a = odd(11) ^ sign();
  const std::uint32_t b = odd(12) ^ sign();
  return {a, b, number(-static_cast<int>(below(120)))};
}

/// Addend and product at every relevant distance.
FmaTriple TripleGenerator::alignment() {
  const int a = static_cast<int>(below(100)) - 50;
  const int b = static_cast<int>(below(100)) - 50;
  const int distance = static_cast<int>(below(140)) - 70;
  return {number(a), number(b), number(std::clamp(a + b + distance, -126, 127))};
}

FmaTriple TripleGenerator::exponent_edge() {
  switch (below(3)) {
    case 0: {  // the product overflows or just does not
      const int a = static_cast<int>(below(120));
      return {number(a), number(126 - a + static_cast<int>(below(3))), edge()};
    }
    case 1:
      return {edge(), number(static_cast<int>(below(5)) - 2), edge()};
    default:
      return {edge(), edge(), edge()};
  }
}

FmaTriple TripleGenerator::subnormal_result() {
  const int product_exponent = static_cast<int>(below(55)) - 176;
  const int a = -static_cast<int>(below(60)) - 30;
  const std::uint32_t c = below(3) == 0   ? sign()
                          : below(3) == 0 ? number(-126 + static_cast<int>(below(3)))
                                          : subnormal();
  return {number(a), number(product_exponent - a), c};
}

/// The leading zeros of the subnormal carry over into the product.
FmaTriple TripleGenerator::subnormal_factor() {
  const int b = static_cast<int>(below(254)) - 126;
  const int distance = static_cast<int>(below(130)) - 65;
  return {subnormal(), number(b), number(std::clamp(b - 126 + distance, -126, 127))};
}

FmaTriple TripleGenerator::special() {
  const auto operand = [&] {
    static constexpr std::array<std::uint32_t, 4> kValues = {0, kInfinityBits, 0x7FC00000U,
                                                             0x7F800001U};
    if (below(2) == 0) return number(static_cast<int>(below(200)) - 100);
    const std::uint32_t value = kValues[below(kValues.size())];
    return value | sign();
  };
  return {operand(), operand(), operand()};
}

FmaTriple TripleGenerator::next() {
  static constexpr std::array kRecipes = {
      &TripleGenerator::uniform,
      &TripleGenerator::special,
      &TripleGenerator::cancellation,
      &TripleGenerator::cancellation,
      &TripleGenerator::tie,
      &TripleGenerator::tie,
      &TripleGenerator::near_tie,
      &TripleGenerator::alignment,
      &TripleGenerator::alignment,
      &TripleGenerator::alignment,
      &TripleGenerator::exponent_edge,
      &TripleGenerator::exponent_edge,
      &TripleGenerator::subnormal_result,
      &TripleGenerator::subnormal_result,
      &TripleGenerator::subnormal_factor,
      &TripleGenerator::subnormal_factor,
      &TripleGenerator::subnormal_factor,
  };
  FmaTriple triple = (this->*kRecipes[below(kRecipes.size())])();
  if (below(2) == 0) std::swap(triple.a, triple.b);
  return triple;
}

void TripleCount::add(FmaTriple t, std::uint32_t result) {
  ++triples_;
  const bool finite = is_finite(t.a) && is_finite(t.b) && is_finite(t.c);
  count(TripleClass::kNan, magnitude(result) > kInfinityBits);
  count(TripleClass::kOverflow, finite && magnitude(result) == kInfinityBits);
  if (!finite || !is_finite(result)) return;

  const bool subnormal_factor = is_subnormal(t.a) != is_subnormal(t.b);
  const bool zero_product = magnitude(t.a) == 0 || magnitude(t.b) == 0;
  const bool zero_operand = zero_product || magnitude(t.c) == 0;
  const int product_over_addend = exponent(t.a) + exponent(t.b) - exponent(t.c);
  const int larger = std::max(exponent(t.a) + exponent(t.b), exponent(t.c));
  count(TripleClass::kSubnormalResult, is_subnormal(result));
  count(TripleClass::kSmallestNormal, magnitude(result) == kSmallestNormalBits);
  count(TripleClass::kSubnormalFactor, subnormal_factor && !zero_product);
  count(TripleClass::kSubnormalAddend, is_subnormal(t.c));
  if (zero_operand) return;
  count(TripleClass::kExactZero, magnitude(result) == 0);
  count(TripleClass::kCancellation, magnitude(result) != 0 && !is_subnormal(t.a) &&
                                        !is_subnormal(t.b) && larger - exponent(result) >= 10);
  count(TripleClass::kSubnormalLeading, subnormal_factor && product_over_addend > 0);
  count(TripleClass::kAddendFarAbove, product_over_addend <= -24 && product_over_addend >= -30);
  count(TripleClass::kProductFarAbove, product_over_addend >= 24 && product_over_addend <= 60);

  // The product is exact in binary64. If the sum is too, its low 29 bits are the ones rounded away.
  if (result == 0 || is_subnormal(result)) return;
  const double product = double{std::bit_cast<float>(t.a)} * double{std::bit_cast<float>(t.b)};
  const double addend = std::bit_cast<float>(t.c);
  const double sum = product + addend;
  const double added = sum - product;
  const bool exact = (product - (sum - added)) + (addend - added) == 0;
  const bool half = (std::bit_cast<std::uint64_t>(sum) & ((1ULL << 29U) - 1)) == 1ULL << 28U;
  count(TripleClass::kTie, half && exact);
  count(TripleClass::kNearTie, half && !exact);
}

void TripleCount::add(const TripleCount& other) {
  triples_ += other.triples_;
  for (std::size_t i = 0; i < kTripleClasses; ++i) hits_[i] += other.hits_[i];
}

std::string TripleCount::text() const {
  static constexpr std::array<std::string_view, kTripleClasses> kNames = {"cancellation",
                                                                          "exact zero",
                                                                          "tie",
                                                                          "near tie",
                                                                          "addend far above",
                                                                          "product far above",
                                                                          "subnormal result",
                                                                          "smallest normal",
                                                                          "subnormal factor",
                                                                          "subnormal, leading",
                                                                          "subnormal addend",
                                                                          "overflow",
                                                                          "NaN"};
  std::string text;
  for (std::size_t i = 0; i < kTripleClasses; ++i) {
    text += std::string(kNames[i]) + ": " + std::to_string(hits_[i]) + "\n";
  }
  return text;
}

}  // namespace weft::test
