// Random triples for the fused multiply-add, weighted toward its difficult cases, and counts of the
// classes that the triples belong to. The counts look only at operands and results, so a recipe
// that misses its aim shows as an empty class.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "tests/rtl/float/fma_triple.h"

namespace weft::test {

class TripleGenerator {
 public:
  explicit TripleGenerator(std::uint64_t seed) : random_(seed) {}

  /// Draws a triple by a random one of the recipes below.
  FmaTriple next();

 private:
  std::uint32_t below(std::uint32_t bound);
  std::uint32_t sign();
  std::uint32_t significand();
  std::uint32_t number(int exponent);
  std::uint32_t subnormal();
  std::uint32_t edge();

  FmaTriple uniform();
  FmaTriple cancellation();
  FmaTriple tie();
  FmaTriple near_tie();
  FmaTriple alignment();
  FmaTriple exponent_edge();
  FmaTriple subnormal_result();
  FmaTriple subnormal_factor();
  FmaTriple special();

  std::mt19937_64 random_;
};

enum class TripleClass : std::uint8_t {
  kCancellation,      // at least ten leading bits cancel
  kExactZero,         // product and addend cancel completely
  kTie,               // halfway between two results
  kNearTie,           // almost halfway: rounding twice, via binary64, could go wrong
  kAddendFarAbove,    // addend 24 to 30 places above the product, which only affects rounding
  kProductFarAbove,   // product 24 to 60 places above the addend
  kSubnormalResult,   // not zero
  kSmallestNormal,    // the result rounds to the smallest normal number
  kSubnormalFactor,   // one subnormal factor, finite result
  kSubnormalLeading,  // one subnormal factor, but the product's exponent is above the addend's
  kSubnormalAddend,
  kOverflow,  // finite operands, infinite result
  kNan,
};
inline constexpr std::size_t kTripleClasses = 13;

class TripleCount {
 public:
  void add(FmaTriple triple, std::uint32_t result);
  void add(const TripleCount& other);
  std::uint64_t triples() const { return triples_; }
  std::uint64_t hits(TripleClass c) const { return hits_[static_cast<std::size_t>(c)]; }
  /// One line per class: its name and its number of triples.
  std::string text() const;

 private:
  void count(TripleClass c, bool is_member) { hits_[static_cast<std::size_t>(c)] += is_member; }

  std::uint64_t triples_ = 0;
  std::array<std::uint64_t, kTripleClasses> hits_{};
};

}  // namespace weft::test
