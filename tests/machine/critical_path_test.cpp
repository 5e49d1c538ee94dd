// The critical path of random programs: its parts sum to the total, lie within what an independent
// search allows, and keep their promise. A part made faster wins no more than its share of the
// path; a part made slower costs at least its share. This holds as long as the units that share a
// channel use it in the same order.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <string>

#include "sim/timing/analytic.h"
#include "sim/timing/analytic_clock.h"
#include "tests/machine/path_oracle.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kPrograms = 1500;

/// One run of the recurrences, and the order in which transfers were granted.
struct PathRun {
  bool stuck = false;
  Timeline timeline;
  std::vector<std::uint64_t> granted;
  std::vector<CriticalPath> paths;  // by group
  Cycle total = 0;

  CriticalPath path() const {
    return std::accumulate(paths.begin(), paths.end(), CriticalPath(),
                           [](CriticalPath sum, const CriticalPath& each) { return sum += each; });
  }
};

class Watcher final : public ClockObserver {
 public:
  Watcher(const MachineConfig& config, const Program& program, PathRun& run)
      : config_(config), program_(program), run_(run) {
    run.timeline.instructions.resize(program.code.size());
  }

  void started(std::uint64_t index, Unit, const InstructionTiming& timing) override {
    run_.timeline.instructions[index] = timing;
    const auto request = transfer_request(program_.code[index].operation, config_);
    if (request && request->channel) run_.granted.push_back(index);
  }
  void pushed(Cycle cycle) override { run_.timeline.pushes.push_back(cycle); }
  void waited(const MatmulWait&) override {}

 private:
  const MachineConfig& config_;
  const Program& program_;
  PathRun& run_;
};

constexpr std::uint32_t kGroups = 5;
std::uint32_t group_of(std::size_t instruction) {
  return static_cast<std::uint32_t>(instruction / 7 % kGroups);
}

PathRun run(
    const MachineConfig& config, const Program& program,
    const std::function<void(PathRecorder&)>& change = [](PathRecorder&) {}) {
  PathRun run;
  Watcher watcher(config, program, run);
  PathRecorder recorder;
  change(recorder);
  PathClock clock(config, watcher, PathTimes(recorder));
  for (std::size_t i = 0; i < program.code.size() && !run.stuck; ++i) {
    recorder.begin_group(group_of(i));
    run.stuck = !clock.accept(program.code[i]);
  }
  run.stuck = run.stuck || !clock.finish();
  if (run.stuck) return run;
  run.total = clock.last_done().cycle;
  run.paths = recorder.paths(clock.last_done().node);
  return run;
}

/// Transfers of different channels start in no particular order.
std::vector<std::uint64_t> order_on(Channel channel, const PathRun& run, const Program& program,
                                    const MachineConfig& config) {
  std::vector<std::uint64_t> order;
  for (const std::uint64_t i : run.granted) {
    if (transfer_request(program.code[i].operation, config)->channel == channel) order.push_back(i);
  }
  return order;
}

class CriticalPathTest : public ::testing::Test {
 protected:
  /// Calls `check` with random programs that run to their end.
  void with_programs(std::uint32_t length, const std::function<void(Random&)>& check) {
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      Random random(seed);
      config = testing::random_machine(random);
      const testing::RandomProgram made(config, random.between(1, length), random);
      program = made.program();
      now = run(config, program);
      if (now.stuck) continue;
      ++hits["memory kind " + std::to_string(static_cast<int>(config.memory_kind))];
      ++hits[config.double_buffer ? "double buffer" : "single buffer"];
      ASSERT_NO_FATAL_FAILURE(check(random));
    }
    for (const auto& [name, count] : hits) {
      RecordProperty(name, count);
      std::cout << name << ": " << count << '\n';
    }
  }

  bool keeps_order(const PathRun& changed) const {
    return order_on(Channel::kMemory, now, program, config) ==
               order_on(Channel::kMemory, changed, program, config) &&
           order_on(Channel::kHost, now, program, config) ==
               order_on(Channel::kHost, changed, program, config);
  }

  void expect_win_at_most(const std::string& name, Cycle share, const PathRun& faster) {
    if (!keeps_order(faster)) {
      ++hits["reordered"];
      return;
    }
    ASSERT_LE(now.total - faster.total, share) << name;
    ++hits[name + (share == 0 ? " not on the path" : faster.total < now.total ? " wins" : "")];
  }

  MachineConfig config;
  Program program;
  PathRun now;
  std::map<std::string, int> hits;
};

TEST_F(CriticalPathTest, ItsPartsSumToTheTotalAndLieWithinTheOracle) {
  with_programs(80, [&](Random&) {
    ASSERT_EQ(now.path().sum(), now.total);
    ASSERT_EQ(now.timeline, analytic_timeline(config, program));
    testing::PathOracle oracle(config, program, now.timeline, now.granted);
    ASSERT_TRUE(oracle.explains_the_run());
    const testing::PathRange range = oracle.range();
    for (std::size_t p = 0; p < kPathParts; ++p) {
      const std::string name(kPathPartNames[p].name);
      ASSERT_GE(now.path().cycles[p], range.least.cycles[p]) << name;
      ASSERT_LE(now.path().cycles[p], range.most.cycles[p]) << name;
      if (now.path().cycles[p] > 0) ++hits[name];
    }
    ++hits[range.least == range.most ? "one path" : "several paths"];
  });
  for (const PathPartName& part : kPathPartNames) EXPECT_GT(hits[std::string(part.name)], 10);
  EXPECT_GT(hits["one path"], 300);
  EXPECT_GT(hits["several paths"], 100);
}

TEST_F(CriticalPathTest, APartThatIsFasterWinsAtMostItsShareAndASlowerOneCostsIt) {
  with_programs(80, [&](Random& random) {
    const auto scaled = [&](PathPart part, std::uint32_t numerator, std::uint32_t denominator) {
      return run(config, program,
                 [&](PathRecorder& recorder) { recorder.scale(part, numerator, denominator); });
    };
    for (std::size_t p = 0; p < kPathParts; ++p) {
      const auto part = static_cast<PathPart>(p);
      const Cycle share = now.path().cycles[p];
      const std::string name(kPathPartNames[p].name);
      // The bytes on a channel have exact times of their own, which only a key changes.
      if ((part == PathPart::kMemory && config.memory_kind != MemoryKind::kIdeal) ||
          part == PathPart::kHost) {
        continue;
      }
      expect_win_at_most(name, share, scaled(part, 0, 1));
      expect_win_at_most(name, share, scaled(part, 1, 2));
      const PathRun slower = scaled(part, 2, 1);
      if (keeps_order(slower)) {
        ASSERT_GE(slower.total, now.total + share) << name;
      }
    }
    // Any of them together.
    std::vector<PathPart> several;
    Cycle share = 0;
    for (std::size_t p = 0; p < kPathParts; ++p) {
      if (random.chance(50)) continue;
      several.push_back(static_cast<PathPart>(p));
      share += now.path().cycles[p];
    }
    expect_win_at_most("several", share, run(config, program, [&](PathRecorder& recorder) {
                         for (const PathPart part : several) recorder.scale(part, 0, 1);
                       }));
  });
  for (const PathPartName& part : kPathPartNames) {
    const std::string name(part.name);
    if (name == "host link") continue;  // below
    EXPECT_GT(hits[name + " wins"], 5) << name;
    if (name == "dispatch") continue;  // every path begins with it
    EXPECT_GT(hits[name + " not on the path"], 5) << name;
  }
}

TEST_F(CriticalPathTest, AKeyThatMakesAPartFasterWinsAtMostItsShare) {
  with_programs(80, [&](Random&) {
    const auto with = [&](const std::function<void(MachineConfig&)>& change) {
      MachineConfig faster = config;
      change(faster);
      return run(faster, program);
    };
    const auto check = [&](PathPart part, const std::function<void(MachineConfig&)>& change) {
      const std::string name(kPathPartNames[static_cast<std::size_t>(part)].name);
      expect_win_at_most(name, now.path()[part], with(change));
    };
    if (config.memory_kind != MemoryKind::kIdeal) {
      check(PathPart::kMemory, [](MachineConfig& faster) { faster.memory_bytes_per_s *= 7; });
    }
    check(PathPart::kMemoryLatency,
          [](MachineConfig& faster) { faster.memory_latency_cycles = 0; });
    check(PathPart::kHost, [](MachineConfig& faster) { faster.host_bytes_per_s *= 7; });
    check(PathPart::kHostLatency, [](MachineConfig& faster) { faster.host_latency_cycles = 0; });
    check(PathPart::kVectorLatency,
          [](MachineConfig& faster) { faster.vector_latency_cycles = 1; });
    // A deeper queue removes steps instead of shortening them.
    if (now.path()[PathPart::kQueueFull] == 0) {
      expect_win_at_most("deeper queue", 0,
                         with([](MachineConfig& faster) { faster.queue_depth = 4096; }));
    }
  });
  for (const char* name :
       {"memory", "memory latency", "host link", "host latency", "vector latency"}) {
    EXPECT_GT(hits[std::string(name) + " wins"], 50) << name;
    EXPECT_GT(hits[std::string(name) + " not on the path"], 50) << name;
  }
  EXPECT_GT(hits["deeper queue not on the path"], 100);
}

TEST_F(CriticalPathTest, AGroupTakesNoMoreOfAPartThanItsInstructionsDo) {
  with_programs(80, [&](Random&) {
    std::vector<CriticalPath> work(kGroups);
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      const Operation& operation = program.code[i].operation;
      CriticalPath& mine = work[group_of(i)];
      if (const auto* matmul = std::get_if<Matmul>(&operation)) {
        mine[PathPart::kArray] += matmul->rows;
        mine[PathPart::kDrain] += config.array_rows + config.array_cols - 1;
      } else if (const auto* vector = std::get_if<Vector>(&operation)) {
        mine[PathPart::kVector] += vector->rows;
        mine[PathPart::kVectorLatency] += config.vector_latency_cycles - 1;
      } else if (std::holds_alternative<Fetch>(operation)) {
        mine[PathPart::kWeightShift] += config.array_rows;
        mine[PathPart::kBufferRead] += buffer_read_cycles(operation, config);
      } else if (const auto* load = std::get_if<Load>(&operation)) {
        mine[PathPart::kPatchWrite] += load->patches ? load->rows : 0;
      }
      mine[PathPart::kDispatch] += 2;  // its own, and until it starts or its tile is pushed
    }
    for (std::size_t g = 0; g < now.paths.size(); ++g) {
      for (const PathPart part :
           {PathPart::kArray, PathPart::kDrain, PathPart::kVector, PathPart::kVectorLatency,
            PathPart::kWeightShift, PathPart::kBufferRead, PathPart::kPatchWrite,
            PathPart::kDispatch}) {
        ASSERT_LE(now.paths[g][part], work[g][part])
            << kPathPartNames[static_cast<std::size_t>(part)].name << " of group " << g;
      }
    }
  });
}

TEST_F(CriticalPathTest, WhatTheRecorderForgetsChangesNothing) {
  with_programs(400, [&](Random&) {
    const PathRun compacted =
        run(config, program, [](PathRecorder& recorder) { recorder.set_limit(1); });
    ASSERT_EQ(compacted.total, now.total);
    ASSERT_EQ(compacted.paths, now.paths);
  });
}

}  // namespace
}  // namespace weft
