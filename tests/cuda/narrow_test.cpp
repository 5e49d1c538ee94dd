// Float32 values must be rounded to 16 bits as in pe/float_formats.h, which tests/pe checks. This
// test combines each pattern of the kept bits with each kind of dropped bits.
#include "models/reference/cuda/bodies/narrow.h"

#include <gtest/gtest.h>

#include <bit>

#include "pe/float_formats.h"

namespace weft::cuda {
namespace {

// Calls visit(bits) for each pattern of the `kept` upper bits. The lower bits are near zero, near a
// tie, or all ones.
template <class Visit>
void for_each_pattern(unsigned kept, Visit visit) {
  const unsigned dropped = 32U - kept;
  const std::uint32_t tie = 1U << (dropped - 1U);
  const std::uint32_t ones = (1U << dropped) - 1U;
  for (std::uint32_t upper = 0; upper < 1U << kept; ++upper) {
    for (const std::uint32_t rest : {0U, 1U, tie - 1U, tie, tie + 1U, ones}) {
      visit((upper << dropped) | rest);
    }
  }
}

TEST(CudaNarrowTest, RoundsToBf16AsTheArrayDoes) {
  int wrong = 0;
  for_each_pattern(16, [&](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    wrong += bf16_bits(value) == to_bf16(value).bits ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(CudaNarrowTest, RoundsToFp16AsTheArrayDoes) {
  int wrong = 0;
  const auto compare = [&](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    wrong += fp16_bits(value) == to_fp16(value).bits ? 0 : 1;
  };
  for_each_pattern(19, compare);
  // The smaller a subnormal is, the fewer bits it keeps, so its ties lie higher.
  for (unsigned kept = 9; kept < 19; ++kept) for_each_pattern(kept, compare);
  EXPECT_EQ(wrong, 0);
}

TEST(CudaNarrowTest, Tf32KeepsElevenBitsOfTheSignificand) {
  EXPECT_EQ(tf32_value(1.0F + 0x1p-10F), 1.0F + 0x1p-10F);
  EXPECT_EQ(tf32_value(1.0F + 0x1p-12F), 1.0F);
  EXPECT_EQ(tf32_value(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);  // half away from zero
  EXPECT_EQ(tf32_value(-1.0F - 0x1p-11F), -1.0F - 0x1p-10F);
}

}  // namespace
}  // namespace weft::cuda
