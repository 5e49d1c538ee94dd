#include "pe/pe.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Registers = PeRegisters<Int8Arithmetic>;
using Inputs = PeInputs<Int8Arithmetic>;

Registers some_state() {
  return {.act = 1, .weight_active = 2, .weight_shadow = 3, .weight_out = 4, .psum = 5};
}

TEST(PeTest, WithoutPushOrSwapOnlyActAndPsumChange) {
  const Registers d = clock_edge(some_state(), Inputs{.act = 10, .weight = 99, .psum = 100});
  EXPECT_EQ(d, (Registers{.act = 10,
                          .weight_active = 2,
                          .weight_shadow = 3,
                          .weight_out = 4,
                          .psum = 100 + 10 * 2}));
}

TEST(PeTest, PushDisplacesTheShadowDownwards) {
  const Registers d = clock_edge(some_state(), Inputs{.act = 10, .weight = 99, .push = true});
  EXPECT_EQ(d.weight_out, 3);
  EXPECT_EQ(d.weight_shadow, 99);
  EXPECT_EQ(d.weight_active, 2);
  EXPECT_TRUE(d.push);
  EXPECT_EQ(d.psum, 10 * 2);
}

TEST(PeTest, SwapUsesTheShadowInThatVeryCycle) {
  const Registers d = clock_edge(some_state(), Inputs{.act = 10, .psum = 7, .swap = true});
  EXPECT_EQ(d.psum, 7 + 10 * 3);
  EXPECT_EQ(d.weight_active, 3);
  EXPECT_EQ(d.weight_shadow, 3);
  EXPECT_TRUE(d.swap);
}

TEST(PeTest, ASwapTogetherWithAPushTakesTheOldShadow) {
  const Registers d =
      clock_edge(some_state(), Inputs{.act = 10, .weight = 99, .push = true, .swap = true});
  EXPECT_EQ(d.weight_active, 3);
  EXPECT_EQ(d.psum, 10 * 3);
  EXPECT_EQ(d.weight_out, 3);
  EXPECT_EQ(d.weight_shadow, 99);
}

TEST(PeTest, PushAndSwapLastOneCycle) {
  Registers q = clock_edge(some_state(), Inputs{.push = true, .swap = true});
  q = clock_edge(q, Inputs{});
  EXPECT_FALSE(q.push);
  EXPECT_FALSE(q.swap);
}

TEST(PeTest, AColumnOfPesLoadsATileBottomRowFirst) {
  constexpr int kRows = 3;
  Registers column[kRows];
  // Pushing takes one cycle per row; the column needs kRows - 1 cycles after the last push.
  for (int cycle = 0; cycle < 2 * kRows - 1; ++cycle) {
    const bool pushing = cycle < kRows;
    Registers next[kRows];
    for (int r = 0; r < kRows; ++r) {
      Inputs in;
      in.push = r == 0 ? pushing : column[r - 1].push;
      in.weight =
          r == 0 ? static_cast<std::int8_t>(10 + kRows - 1 - cycle) : column[r - 1].weight_out;
      next[r] = clock_edge(column[r], in);
    }
    std::copy(next, next + kRows, column);
  }
  for (int r = 0; r < kRows; ++r) EXPECT_EQ(column[r].weight_shadow, 10 + r);
}

TEST(PeTest, FloatPesProduceTheCanonicalNan) {
  PeRegisters<Bf16Arithmetic> q;
  q.weight_active = -std::bit_cast<float>(0x7F812345U);
  const auto d = clock_edge(q, PeInputs<Bf16Arithmetic>{.act = 1.0F});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(d.psum), kCanonicalNan);
}

}  // namespace
}  // namespace weft
