// The units of a mutant, each alone, compared with arithmetic on the host.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/loaded_library.h"
#include "pe/float_formats.h"
#include "tests/machine/random_program.h"
#include "tests/rtl/float/triple_generator.h"
#include "tests/rtl/mutants/units.h"

namespace weft::testing {
namespace {

/// Units of the mutant in the folder WEFT_RTL_PATH; all empty if it has no units.so.
Units make_units() {
  const char* const folder = std::getenv("WEFT_RTL_PATH");
  const auto file = std::filesystem::path(folder == nullptr ? "" : folder) / "units.so";
  if (!std::filesystem::exists(file)) return {};
  return load_library<UnitLibrary>(file, "weft_mutant_units", WEFT_RTL_INTERFACE).make();
}

/// Values at which carries and signs change, or random ones.
std::uint32_t random_sum(Random& random) {
  constexpr std::array<std::uint32_t, 8> kCorners = {
      0, 1, 0x0000FFFF, 0x3FFFFFFF, 0x40000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  return random.chance(50) ? kCorners[random.between(0, kCorners.size() - 1)]
                           : static_cast<std::uint32_t>(random.bits());
}

TEST(FloatTest, FmaEqualsHost) {
  const Units units = make_units();
  if (!units.fma) GTEST_SKIP() << "the patch does not name it";
  weft::test::TripleGenerator generator(1);
  for (int i = 0; i < 200'000; ++i) {
    const weft::test::FmaTriple t = generator.next();
    ASSERT_EQ(units.fma(t.a, t.b, t.c), weft::test::host_fma(t))
        << std::hex << "fma(" << t.a << ", " << t.b << ", " << t.c << ")";
  }
}

/// Compares with the conversions of pe/, which have separate tests.
template <class Format>
void expect_widens_all(const std::function<std::uint32_t(std::uint16_t)>& widen) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    ASSERT_EQ(widen(bits), std::bit_cast<std::uint32_t>(to_float(Format{bits})))
        << std::hex << "element " << bits;
  }
}

TEST(FloatTest, Bf16WidensExactly) {
  const Units units = make_units();
  if (!units.widen_bf16) GTEST_SKIP() << "the patch does not name it";
  expect_widens_all<Bf16>(units.widen_bf16);
}

TEST(FloatTest, Fp16WidensExactly) {
  const Units units = make_units();
  if (!units.widen_fp16) GTEST_SKIP() << "the patch does not name it";
  expect_widens_all<Fp16>(units.widen_fp16);
}

TEST(IntegerTest, PeMultipliesAllPairsAndWraps) {
  const Units units = make_units();
  if (!units.pe_int8) GTEST_SKIP() << "the patch does not name it";
  Random random(1);
  for (int act = -128; act < 128; ++act) {
    for (int weight = -128; weight < 128; ++weight) {
      const std::uint32_t psum = random_sum(random);
      ASSERT_EQ(
          units.pe_int8(static_cast<std::uint8_t>(act), static_cast<std::uint8_t>(weight), psum),
          psum + static_cast<std::uint32_t>(act * weight))
          << act << " * " << weight << " + " << psum;
    }
  }
}

TEST(IntegerTest, AccumulatorRowsAddAndWrap) {
  const Units units = make_units();
  if (!units.accumulator) GTEST_SKIP() << "the patch does not name it";
  Random random(1);
  std::array<std::uint32_t, kAccumulatorRows> rows{};
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    const auto row = [&] { return static_cast<std::uint8_t>(random.between(0, 3)); };
    const AccumulatorInputs in{random.chance(70), random.chance(50), row(), random_sum(random),
                               row()};
    const std::uint32_t sum = in.accumulate ? rows[in.row] + in.data : in.data;
    const AccumulatorOutputs expected{sum, rows[in.read_row]};
    ASSERT_EQ(units.accumulator(in), expected) << "cycle " << cycle;
    if (in.write) rows[in.row] = sum;
  }
}

}  // namespace
}  // namespace weft::testing
