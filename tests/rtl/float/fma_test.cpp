// rtl/fma_binary32.sv compared with the host's std::fma, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <vector>

#include "tests/rtl/float/fma_unit.h"
#include "tests/rtl/float/triple_generator.h"

namespace weft::test {
namespace {

std::string hex(std::uint32_t bits) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(8) << std::setfill('0') << bits;
  return text.str();
}

/// Compares unit and host, shows the first few differences and counts the comparisons.
class Comparison {
 public:
  void check(FmaTriple t) {
    const std::uint32_t expected = host_fma(t);
    const std::uint32_t actual = unit_(t);
    count_.add(t, expected);
    if (actual == expected || ++mismatches_ > 5) return;
    ADD_FAILURE() << "fma(" << hex(t.a) << ", " << hex(t.b) << ", " << hex(t.c)
                  << ") = " << hex(actual) << ", the host says " << hex(expected);
  }
  const TripleCount& count() const { return count_; }
  std::uint64_t mismatches() const { return mismatches_; }

 private:
  FmaUnit unit_;
  TripleCount count_;
  std::uint64_t mismatches_ = 0;
};

float value(double v) {
  return static_cast<float>(v);
}

std::uint32_t bits(float v) {
  return std::bit_cast<std::uint32_t>(v);
}

struct HardTriple {
  const char* why;
  double a, b, c, result;  // each is exact in binary32
};

/// Worked out by hand; rounding twice gives a wrong result for each.
const std::vector<HardTriple>& hard_triples() {
  static const std::vector<HardTriple> triples = {
      // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 is halfway; any addend, however small, decides.
      {"above a tie to even", 1 + 0x1p-12, 1 + 0x1p-12, 0x1p-100, 1 + 0x1p-11 + 0x1p-23},
      // 1 + 2^-10 + 2^-23 + 2^-24 is halfway above an odd last place.
      {"below a tie to even", 1 + 0x3p-12, 1 + 0x1p-12, -0x1p-100, 1 + 0x1p-10 + 0x1p-23},
      {"the tail of a canceled product", 1 + 0x1p-23, 1 + 0x1p-23, -(1 + 0x1p-22), 0x1p-46},
      {"a product above the range", 0x1p127, 2, -(0x2p127 - 0x1p104), 0x1p104},
      {"a product below the range", 0x1.000002p-75, 0x1p-75, -0x1p-149, -0.0},
      {"just above half the smallest subnormal", 0x1.000002p-75, 0x1p-75, 0, 0x1p-149},
      {"half the smallest subnormal", 0x1p-75, 0x1p-75, 0, 0},
      {"up to the smallest normal", 0x1.fffffep-64, 0x1p-63, 0, 0x1p-126},
  };
  return triples;
}

TEST(HostFmaTest, RoundsOnce) {
  for (const HardTriple& t : hard_triples()) {
    // volatile makes the host compute, not the compiler.
    volatile float a = value(t.a);
    volatile float b = value(t.b);
    volatile float c = value(t.c);
    EXPECT_EQ(bits(std::fma(a, b, c)), bits(value(t.result))) << t.why;
  }
}

TEST(FmaRtlTest, RoundsOnce) {
  FmaUnit unit;
  for (const HardTriple& t : hard_triples()) {
    EXPECT_EQ(unit({bits(value(t.a)), bits(value(t.b)), bits(value(t.c))}), bits(value(t.result)))
        << t.why;
  }
}

/// Bit patterns of positive values at which the unit's behavior changes; tests use both signs.
std::vector<std::uint32_t> corner_magnitudes() {
  std::vector<std::uint32_t> corners = {
      0,
      0x00000001,  // subnormals: the smallest, the next, the middle, the largest two
      0x00000002, 0x00000003, 0x003FFFFF, 0x00400000, 0x00400001, 0x007FFFFE, 0x007FFFFF,
      0x00800000,  // the smallest normals
      0x00800001, 0x00FFFFFF, 0x01000000,
      0x3EAAAAAB,  // a third, with a long significand
      0x3F7FFFFF,  // one, and one unit in the last place below and above
      0x3F800000, 0x3F800001,
      0x3F800800,  // 1 + 2^-12: its square is a tie
      0x3F801800,  // 1 + 3 * 2^-12: times the previous value, a tie above an odd last place
      0x3FFFFFFF,  // all ones
      0x40490FDB,
      0x7F000000,  // the largest powers of two and the largest numbers
      0x7F7FFFFE, 0x7F7FFFFF,
      0x7F800000,  // infinity
      0x7F800001,  // signaling NaNs
      0x7FA00000, 0x7FBFFFFF,
      0x7FC00000,  // quiet NaNs
      0x7FC12345, 0x7FFFFFFF,
  };
  // Exponents at which the smaller operand reaches the last place, the rounding bit or the end.
  for (const int exponent :
       {-75, -63, -62, -50, -49, -48, -47, -46, -26, -25, -24, -23, -22, -16, -15,
        -1,  1,   15,  16,  22,  23,  24,  25,  26,  47,  48,  49,  62,  63,  64}) {
    corners.push_back(static_cast<std::uint32_t>(exponent + 127) << 23U);
  }
  return corners;
}

TEST(FmaRtlTest, EqualsHostOnAllTriplesOfCornerValues) {
  std::vector<std::uint32_t> corners = corner_magnitudes();
  ASSERT_GE(corners.size(), 61U);
  const std::size_t positive = corners.size();
  for (std::size_t i = 0; i < positive; ++i) corners.push_back(corners[i] | kSignBit);
  Comparison comparison;
  for (const std::uint32_t a : corners) {
    for (const std::uint32_t b : corners) {
      for (const std::uint32_t c : corners) comparison.check({a, b, c});
    }
  }
  EXPECT_EQ(comparison.count().triples(), corners.size() * corners.size() * corners.size());
  EXPECT_EQ(comparison.mismatches(), 0U);
}

TEST(FmaRtlTest, EqualsHostOnRandomTriples) {
  constexpr std::uint64_t kSeed = 20240607;
  constexpr int kTriples = 12'000'000;
  TripleGenerator generator(kSeed);
  Comparison comparison;
  for (int i = 0; i < kTriples; ++i) comparison.check(generator.next());
  SCOPED_TRACE("seed " + std::to_string(kSeed) + "\n" + comparison.count().text());
  std::cout << "seed " << kSeed << ", " << kTriples << " triples\n" << comparison.count().text();
  EXPECT_EQ(comparison.mismatches(), 0U);
  for (std::size_t c = 0; c < kTripleClasses; ++c) {
    EXPECT_GE(comparison.count().hits(static_cast<TripleClass>(c)), 1000U) << "class " << c;
  }
}

}  // namespace
}  // namespace weft::test
