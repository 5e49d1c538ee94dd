// The search over schedules: what it finds is never slower than what it began with, and its replay
// counts the cycles of the run.
#include <gtest/gtest.h>

#include <iostream>

#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/replay.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

MachineConfig random_machine(Random& random) {
  MachineConfig config = load_preset("tiny");
  config.dtype = ElementType::kBf16;
  config.array_rows = static_cast<std::uint32_t>(random.between(3, 24));
  config.array_cols = static_cast<std::uint32_t>(random.between(3, 24));
  config.accumulator_rows = static_cast<std::uint32_t>(random.between(32, 600));
  config.unified_buffer_kib = static_cast<std::uint32_t>(random.between(16, 200));
  config.memory_kind = random.one_of({MemoryKind::kIdeal, MemoryKind::kSplit, MemoryKind::kShared});
  config.memory_bytes_per_s = config.clock_hz * static_cast<std::uint64_t>(random.between(1, 200));
  config.host_bytes_per_s = config.clock_hz * static_cast<std::uint64_t>(random.between(1, 200));
  return config;
}

Cycle cycles(const graph::Graph& graph, const MachineConfig& config,
             const MappingOptions& mapping) {
  return runtime::time_network(schedule_network(graph, config, {.mapping = mapping}), config).total;
}

TEST(ScheduleSearchTest, NeverLosesToWhatItBeginsWith) {
  constexpr std::uint64_t kCases = 60;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  int faster = 0;
  int apart = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const graph::Graph graph = prepared(network.build());
    const Cycle found = cycles(graph, config, {});
    const Cycle first = cycles(graph, config, {.replays = false});
    const Cycle unpacked = cycles(graph, config, {.packed_taps = false});
    EXPECT_LE(found, first);
    EXPECT_LE(found, unpacked);
    faster += found < first ? 1 : 0;
    apart += found == unpacked && unpacked < first ? 1 : 0;
  }
  EXPECT_GT(faster, 20);
  EXPECT_GT(apart, 3);
}

TEST(ScheduleSearchTest, ReplayCountsTheCyclesOfTheRun) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const ScheduledNetwork scheduled = schedule_network(prepared(network.build()), config);
    Cycle replayed = 0;
    std::uint64_t instructions = 0;
    for (const auto& step : scheduled.steps) {
      const auto* segment = std::get_if<ScheduledSegment>(&step);
      if (segment == nullptr) continue;
      const Replay cost = replay(segment->segment, segment->schedule, config);
      replayed += cost.cycles;
      instructions += cost.instructions;
    }
    const runtime::NetworkRun run = runtime::time_network(scheduled, config);
    EXPECT_EQ(replayed, run.total);
    EXPECT_EQ(instructions, run.instructions);
  }
}

}  // namespace
}  // namespace weft::compiler::testing
