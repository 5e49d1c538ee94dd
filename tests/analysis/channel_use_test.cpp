// The bytes that the channels carry over a run equal the run's traffic, and never exceed the rate.
#include "sim/analysis/channel_use.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/timing/analytic.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

/// Bytes that cross `channel` in a run, computed from its steps.
double carried(const ChannelUse& use, Channel channel, const MachineConfig& config) {
  const auto& steps = use.steps[static_cast<std::size_t>(channel)];
  double cycles = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    cycles += steps[i].share * static_cast<double>(steps[i + 1].cycle - steps[i].cycle);
  }
  return cycles * static_cast<double>(bytes_per_second(channel, config)) /
         static_cast<double>(config.clock_hz);
}

/// Bytes that the program's transfers move over `channel`.
double traffic(const Program& program, Channel channel, const MachineConfig& config) {
  double bytes = 0;
  for (const Instruction& instruction : program.code) {
    const auto request = transfer_request(instruction.operation, config);
    if (request && request->channel == channel) bytes += static_cast<double>(request->bytes);
  }
  return bytes;
}

TEST(ChannelUseTest, IntegratesToTheTrafficOnRandomPrograms) {
  int busy = 0;
  int split_busy = 0;
  int partial = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const testing::RandomProgram made(config, random.between(1, 80), random);
    Timeline timeline;
    try {
      timeline = analytic_timeline(config, made.program());
    } catch (const DeadlockError&) {
      continue;
    }
    const ChannelUse use = channel_use(config, made.program(), timeline);
    for (const Channel channel : {Channel::kMemory, Channel::kHost}) {
      const double bytes = traffic(made.program(), channel, config);
      // Each step and each term of the sum, at most 400, adds one rounding of 2^-53.
      ASSERT_NEAR(carried(use, channel, config), bytes, bytes * 1e-12);
      const auto& steps = use.steps[static_cast<std::size_t>(channel)];
      ASSERT_EQ(steps.empty(), bytes == 0);
      for (const ChannelStep& step : steps) {
        ASSERT_GE(step.share, 0);
        ASSERT_LE(step.share, 1);
        partial += step.share > 0 && step.share < 1 ? 1 : 0;
      }
      if (steps.empty()) continue;
      ASSERT_EQ(steps.back().share, 0);
      ++busy;
      split_busy += channel == Channel::kHost ? 1 : 0;
    }
    // A transfer retires one latency after its last byte; only fetches wait for earlier ones, and
    // loads from the first one on that writes patches row by row.
    bool rows_are_written = false;
    for (std::size_t i = 0; i < made.program().code.size(); ++i) {
      const Opcode opcode = made.program().code[i].opcode();
      rows_are_written |= row_write_cycles(made.program().code[i].operation) > 0;
      if (use.channel_end[i] < 0 || opcode == Opcode::kFetch) continue;
      const Cycle latency = latency_cycles(*channel_of(opcode, config.memory_kind), config);
      if (rows_are_written && opcode == Opcode::kLoad) {
        ASSERT_LE(use.channel_end[i] + latency, timeline.instructions[i].retired + 1);
        continue;
      }
      ASSERT_EQ(use.channel_end[i] + latency, timeline.instructions[i].retired + 1);
    }
  }
  EXPECT_GT(busy, 800);
  EXPECT_GT(split_busy, 300);
  EXPECT_GT(partial, 2000);
}

TEST(ChannelUseTest, ATransferThatEndsWithinACycleUsesAPartOfIt) {
  MachineConfig config;
  config.memory_kind = MemoryKind::kShared;
  config.clock_hz = 100'000'000;
  config.memory_bytes_per_s = 1'000'000'000;  // 10 bytes per cycle
  // 12 bytes take cycles 3 and 4, 8 more follow, and 4 bytes start in cycle 9.
  const Program program{4,  4,  ElementType::kInt8,
                        {}, {}, {{Load{0, 0, 3}, {}}, {Store{0, 9, 2}, {}}, {Load{}, {}}}};
  const Timeline timeline{{{0, 3, 4}, {1, 4, 4}, {2, 9, 9}}, {}};
  const ChannelUse use = channel_use(config, program, timeline);
  EXPECT_EQ(use.steps[0], (std::vector<ChannelStep>{{3, 1}, {5, 0}, {9, 0.4}, {10, 0}}));
  EXPECT_TRUE(use.steps[1].empty());
  EXPECT_EQ(use.channel_end, (std::vector<Cycle>{5, 5, 10}));
}

}  // namespace
}  // namespace weft
