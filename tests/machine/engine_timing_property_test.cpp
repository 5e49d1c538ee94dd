// All engines compute the same timing. On random programs with any dependences, the recurrences,
// the timed SystemC machine and the machine that clocks each PE agree on every dispatch, start,
// push and retirement, and on the message of a deadlock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "base/error.h"
#include "sim/analysis/summary.h"
#include "sim/machine/machine.h"
#include "sim/timing/analytic.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kPrograms = 2500;

class ConstantMemory : public HostMemory {
 public:
  void read_rows(std::uint64_t, std::span<std::byte> out) const override { fill(out); }
  void read_tile(std::uint64_t, std::span<std::byte> out) const override { fill(out); }
  void write_rows(std::uint64_t, std::span<const std::byte>) override {}

 private:
  static void fill(std::span<std::byte> out) { std::memset(out.data(), 1, out.size()); }
};

struct Outcome {
  Timeline timeline;
  std::string deadlock;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Removes pushes after the end of the run, because an engine may or may not reach them.
template <class Engine>
Outcome outcome(Engine engine) {
  Outcome outcome;
  try {
    outcome.timeline = engine();
  } catch (const DeadlockError& error) {
    outcome.deadlock = error.what();
  }
  const Cycle total = total_cycles(outcome.timeline);
  auto& pushes = outcome.timeline.pushes;
  std::erase_if(pushes, [total](Cycle push) { return push >= total; });
  return outcome;
}

bool fetches_from_buffer(const Program& program) {
  return std::ranges::any_of(program.code, [](const Instruction& instruction) {
    const auto* fetch = std::get_if<Fetch>(&instruction.operation);
    return fetch != nullptr && fetch->buffer;
  });
}

TEST(EngineTimingPropertyTest, AllEnginesAgreeOnRandomPrograms) {
  std::map<std::string, int> hits;
  ConstantMemory memory;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const testing::RandomProgram made(config, random.between(1, 80), random);
    const Program& program = made.program();
    const Outcome analytic = outcome([&] { return analytic_timeline(config, program); });
    ASSERT_EQ(analytic, outcome([&] { return run_timed_machine(config, program); }));
    ASSERT_EQ(analytic, outcome([&] {
                return run_clocked_machine({.config = config,
                                            .program = program,
                                            .memory = memory,
                                            .array = ArrayModel::kStepped,
                                            .lockstep = false,
                                            .vcd = nullptr,
                                            .vcd_cycles = {},
                                            .progress = {}})
                    .timeline;
              }));
    ++hits[analytic.deadlock.empty() ? "finished" : "deadlocked"];
    ++hits[config.double_buffer ? "double buffer" : "single buffer"];
    ++hits["memory kind " + std::to_string(static_cast<int>(config.memory_kind))];
    ++hits["type " + std::string(to_string(config.dtype))];
    if (config.array_rows == 1) ++hits["one row"];
    if (config.array_cols == 1) ++hits["one column"];
    if (config.queue_depth == 1) ++hits["queue of one"];
    if (fetches_from_buffer(program)) ++hits["fetch from the buffer"];
  }
  for (const auto& [name, count] : hits) RecordProperty(name, count);
  EXPECT_EQ(hits.size(), 14U);
  EXPECT_GT(hits["finished"], 1500);
  for (const auto& [name, count] : hits) EXPECT_GT(count, 50) << name;
}

}  // namespace
}  // namespace weft
