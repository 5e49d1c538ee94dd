// Exact channel arithmetic, checked with hand-made cases and a rational oracle.
#include "sim/timing/channel_clock.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace weft {
namespace {

Cycle occupy(ChannelClock& clock, Cycle ready, std::uint64_t bytes) {
  return clock.occupy(ready, {Channel::kMemory, Direction::kRead, 0, bytes});
}

TEST(ChannelClockTest, OneByteACycleEndsInItsLastCycle) {
  ChannelClock clock(100, 100);
  EXPECT_EQ(occupy(clock, 5, 3), 7);  // cycles 5, 6, 7
  EXPECT_EQ(clock.free_cycle(), 8);
}

TEST(ChannelClockTest, CarriesFractionsOfACycleOver) {
  ChannelClock clock(100, 200);       // half a cycle per byte
  EXPECT_EQ(occupy(clock, 0, 3), 1);  // 0.0 .. 1.5
  EXPECT_EQ(clock.free_cycle(), 1);
  EXPECT_EQ(occupy(clock, 0, 1), 1);  // 1.5 .. 2.0: still in cycle 1
  EXPECT_EQ(clock.free_cycle(), 2);
}

TEST(ChannelClockTest, AnIdleChannelForgetsItsFraction) {
  ChannelClock clock(100, 200);
  EXPECT_EQ(occupy(clock, 0, 1), 0);  // 0.0 .. 0.5
  EXPECT_EQ(occupy(clock, 1, 1), 1);  // 1.0 .. 1.5
  EXPECT_EQ(occupy(clock, 1, 2), 2);  // 1.5 .. 2.5
}

TEST(ChannelClockTest, TpuV1TileTakes1349Or1350Cycles) {
  ChannelClock clock(700'000'000, 34'000'000'000);
  Cycle last = -1;
  Cycle longest = 0;
  Cycle shortest = 1 << 20;
  for (int tile = 0; tile < 1000; ++tile) {
    const Cycle end = occupy(clock, 0, 65536);
    longest = std::max(longest, end - last);
    shortest = std::min(shortest, end - last);
    last = end;
  }
  EXPECT_EQ(shortest, 1349);
  EXPECT_EQ(longest, 1350);
  // 1000 tiles take exactly ceil(1000 * 65536 * 7 / 340) cycles: nothing drifts.
  EXPECT_EQ(last + 1, (1000LL * 65536 * 7 + 339) / 340);
}

TEST(ChannelClockTest, EqualsExactRationalsOnRandomTransfers) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const std::uint64_t hz = 1 + random() % 1000;
    const std::uint64_t rate = 1 + random() % 1000;
    ChannelClock clock(hz, rate);
    std::uint64_t free = 0;  // in units of 1/rate cycles
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t ready = random() % 50 == 0 ? free / rate + random() % 20 : 0;
      const std::uint64_t bytes = 1 + random() % 30;
      free = std::max(free, ready * rate) + bytes * hz;
      EXPECT_EQ(occupy(clock, static_cast<Cycle>(ready), bytes),
                static_cast<Cycle>((free + rate - 1) / rate) - 1);
      EXPECT_EQ(clock.free_cycle(), static_cast<Cycle>(free / rate));
    }
  }
}

TEST(ChannelClockTest, TheAddressAndTheDirectionMakeNoDifference) {
  ChannelClock near(100, 300);
  ChannelClock far(100, 300);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Cycle end = occupy(near, 0, 7);
    EXPECT_EQ(far.occupy(0, {Channel::kMemory, Direction::kWrite, i << 40U, 7}), end);
  }
}

TEST(ChannelClockTest, RefusesTimesThatNoEngineCanCount) {
  ChannelClock clock(1'000'000'000, 1);
  EXPECT_THROW(occupy(clock, 0, 1'000'000), SimulationError);
}

}  // namespace
}  // namespace weft
