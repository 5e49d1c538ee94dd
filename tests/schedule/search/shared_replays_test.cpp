// Replays that the searches for several machines share: each is what replay() gives for its own
// machine, whatever was replayed for others before.
#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <variant>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/known_replays.h"
#include "compiler/segments/segments.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// What a machine of this size may differ in from one of another size.
std::vector<MachineConfig> machines_like(const MachineConfig& config) {
  std::vector<MachineConfig> machines;
  for (const std::uint32_t times : {1U, 2U, 3U, 16U}) {
    machines.push_back(config);
    machines.back().unified_buffer_kib *= times;
  }
  machines.push_back(machines[1]);
  machines.back().weight_fifo_tiles += 1;
  machines.push_back(machines[1]);
  machines.back().accumulator_rows *= 2;
  machines.push_back(machines[1]);
  machines.back().memory_bytes_per_s /= 2;
  return machines;
}

void expect_own_replay(const Segment& segment, const Schedule& schedule,
                       const MachineConfig& machine, Cycle most, SharedReplays& shared) {
  const Replay expected = replay(segment, schedule, machine, most);
  const Replay found = shared.of(segment, schedule, machine, most);
  EXPECT_EQ(found.cycles, expected.cycles);
  EXPECT_EQ(found.is_abandoned, expected.is_abandoned);
  EXPECT_EQ(found.instructions, expected.instructions);
}

TEST(SharedReplaysTest, EachIsTheReplayOfItsOwnMachine) {
  const std::uint64_t seeds = draws(40, 600);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::size_t asked = 0;
  std::size_t replayed = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random, ElementType::kBf16);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const graph::Graph graph = prepared(network.of_batch(random.between(1, 3)));
    for (const auto& step : cut_into_segments(graph, config, {})) {
      const auto* segment = std::get_if<Segment>(&step);
      if (segment == nullptr) continue;
      SharedReplays shared;
      for (const MachineConfig& machine : machines_like(config)) {
        for (const std::uint64_t share : {2U, 4U, 16U}) {
          ScheduleChoices choices = first_choices(*segment, machine, 0);
          choices.buffer =
              with_staging(machine, needed_margin(*segment), usable_rows(machine) / share);
          choices.order = random.one_of({InstructionOrder::kByLayer, InstructionOrder::kByStart,
                                         InstructionOrder::kByStart, InstructionOrder::kByTile});
          const auto scheduled = schedule_layers(*segment, machine, choices);
          const auto* schedule = std::get_if<Schedule>(&scheduled);
          if (schedule == nullptr) continue;
          const Cycle whole = replay(*segment, *schedule, machine).cycles;
          for (const Cycle most : {kAnyCycles, whole, whole / 2}) {
            expect_own_replay(*segment, *schedule, machine, most, shared);
            ++asked;
          }
        }
      }
      replayed += shared.size();
    }
  }
  std::cout << asked << " asked for, " << replayed << " replayed\n";
  EXPECT_GT(asked, 1000U);
  EXPECT_LT(5 * replayed, 3 * asked);
}

}  // namespace
}  // namespace weft::compiler::testing
