// Random triples for the fused multiply-add, weighted toward where such units go wrong, and a count
// of what the triples turned out to be. The count looks at operands and results alone, so that a
// recipe that misses its aim shows as a class that was not hit.
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

  /// One of the recipes below, chosen at random.
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
  kCancellation,      // ten leading bits or more cancel
  kExactZero,         // product and addend cancel whole
  kTie,               // halfway between two results
  kNearTie,           // next to that: rounding twice, by way of binary64, could go wrong
  kAddendFarAbove,    // addend 24 to 30 places above the product: the product only rounds
  kProductFarAbove,   // product 24 to 60 places above the addend
  kSubnormalResult,   // not zero
  kSmallestNormal,    // the result rounds to the smallest normal number
  kSubnormalFactor,   // one, and the result is finite
  kSubnormalLeading,  // one factor subnormal, the product's exponent field still above the addend's
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
  /// One line a class: its name and how many triples belonged to it.
  std::string text() const;

 private:
  void count(TripleClass c, bool is_member) { hits_[static_cast<std::size_t>(c)] += is_member; }

  std::uint64_t triples_ = 0;
  std::array<std::uint64_t, kTripleClasses> hits_{};
};

}  // namespace weft::test
