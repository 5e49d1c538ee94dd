// Co-simulation of random programs on `stepped` and on `rtl`, compared to the cycle and to the bit.
// Several tests use it with different array sizes.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/analysis/summary.h"
#include "sim/machine/machine.h"
#include "tests/machine/random_transfers.h"
#include "tests/machine/run_matmul.h"

namespace weft::testing {

struct ArraySize {
  std::uint32_t rows;
  std::uint32_t cols;
};

using Hits = std::map<std::string, int>;

inline MachineConfig random_machine_of(const std::vector<ArraySize>& sizes, Random& random) {
  MachineConfig config = random_machine(random);
  const ArraySize size = sizes[random.between(0, static_cast<std::uint32_t>(sizes.size() - 1))];
  config.array_rows = size.rows;
  config.array_cols = size.cols;
  return config;
}

inline void count_machine(const MachineConfig& config, Hits& hits) {
  ++hits["array " + std::to_string(config.array_rows) + "x" + std::to_string(config.array_cols)];
  ++hits[std::string(to_string(config.dtype))];
  ++hits[config.double_buffer ? "double buffer" : "single buffer"];
  ++hits["memory kind " + std::to_string(static_cast<int>(config.memory_kind))];
}

/// Gives each address fixed random bytes and records every write in order.
class PatternMemory : public HostMemory {
 public:
  using Writes = std::vector<std::pair<std::uint64_t, std::vector<std::byte>>>;

  void read_rows(std::uint64_t row, std::span<std::byte> out) const override { fill(row, out); }
  void read_tile(std::uint64_t tile, std::span<std::byte> out) const override { fill(~tile, out); }
  void write_rows(std::uint64_t row, std::span<const std::byte> in) override {
    writes.emplace_back(row, std::vector<std::byte>(in.begin(), in.end()));
  }

  Writes writes;

 private:
  static void fill(std::uint64_t seed, std::span<std::byte> out) {
    Random random(seed);
    for (std::byte& byte : out) byte = static_cast<std::byte>(random.bits());
  }
};

struct ClockedOutcome {
  Timeline timeline;
  std::string deadlock;
  PatternMemory::Writes writes;
  friend bool operator==(const ClockedOutcome&, const ClockedOutcome&) = default;
};

inline ClockedOutcome clocked_outcome(const MachineConfig& config, const Program& program,
                                      ArrayModel array, bool lockstep = false) {
  PatternMemory memory;
  ClockedOutcome outcome;
  try {
    outcome.timeline = run_clocked_machine({.config = config,
                                            .program = program,
                                            .memory = memory,
                                            .array = array,
                                            .lockstep = lockstep,
                                            .vcd = nullptr,
                                            .progress = {}})
                           .timeline;
  } catch (const DeadlockError& error) {
    outcome.deadlock = error.what();
  }
  outcome.writes = memory.writes;
  return outcome;
}

/// Random instructions and dependences, which give timings beyond any compiler's, and deadlocks.
inline void compare_random_program(const std::vector<ArraySize>& sizes, std::uint64_t seed,
                                   Hits& hits) {
  SCOPED_TRACE(::testing::Message() << "random program, seed " << seed);
  Random random(seed);
  const MachineConfig config = random_machine_of(sizes, random);
  const RandomProgram made(config, random.between(1, 80), random);
  const bool lockstep = random.chance(30);
  const auto stepped = clocked_outcome(config, made.program(), ArrayModel::kStepped);
  ASSERT_EQ(stepped, clocked_outcome(config, made.program(), ArrayModel::kRtl, lockstep));
  count_machine(config, hits);
  ++hits[stepped.deadlock.empty() ? "finished" : "deadlocked"];
  if (!stepped.writes.empty()) ++hits["stored"];
}

inline MatmulSpec random_spec(const MachineConfig& config, Random& random) {
  const auto size = [&](std::uint32_t side) {
    return random.chance(30) ? side * random.between(1, 3) : random.between(1, 40);
  };
  MatmulSpec spec;
  spec.m = size(config.array_rows);
  spec.k = size(config.array_rows);
  spec.n = size(config.array_cols);
  spec.bias = random.chance(40);
  spec.activation = static_cast<Activation>(random.between(0, 2));
  return spec;
}

/// A product lowered by the compiler, with operands of any bit pattern or small numbers.
inline void compare_matmul(const std::vector<ArraySize>& sizes, std::uint64_t seed, Hits& hits) {
  SCOPED_TRACE(::testing::Message() << "matmul, seed " << seed);
  Random random(seed);
  MachineConfig config = random_machine_of(sizes, random);
  config.unified_buffer_kib = random.between(16, 64);
  const TilingPlan plan =
      with_random_transfers(plan_matmul(random_spec(config, random), config), config, random);
  const Program program = lower_matmul(plan, config);
  const auto operands = random_operands(plan.spec, config.dtype, random.chance(50), random);
  const auto stepped = run_matmul(config, program, operands, Engine::kStepped);
  const auto rtl = run_matmul(config, program, operands, Engine::kRtl);
  ASSERT_EQ(stepped.result.timeline, rtl.result.timeline);
  ASSERT_EQ(stepped.result.ledger, rtl.result.ledger);
  ASSERT_EQ(stepped.out, rtl.out);
  count_machine(config, hits);
  if (plan.order == LoopOrder::kChunkInnermost) ++hits["kept weights"];
  if (plan.tile_slots > 0) ++hits["tiles through the buffer"];
  if (stepped.result.ledger.weight_stall > 0) ++hits["stalled for weights"];
  if (stepped.result.ledger.input_stall > 0) ++hits["stalled for input"];
}

/// Compares `programs` programs of each kind; every class of machine and run must come up.
inline void compare_programs(const std::vector<ArraySize>& sizes, std::uint64_t programs,
                             std::size_t classes) {
  std::cout << "seeds 0 to " << programs - 1 << " of each kind\n";
  Hits hits;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    ASSERT_NO_FATAL_FAILURE(compare_random_program(sizes, seed, hits));
    ASSERT_NO_FATAL_FAILURE(compare_matmul(sizes, seed, hits));
  }
  for (const auto& [name, count] : hits) {
    std::cout << name << ": " << count << '\n';
    EXPECT_GE(count, 20) << name;
  }
  EXPECT_EQ(hits.size(), classes) << "a class was never hit";
}

}  // namespace weft::testing
