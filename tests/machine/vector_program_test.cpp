// Programs of vector instructions and fetches from the buffer, with values. They have the
// compiler's dependences or only some of them. If the hazard check accepts a program, it must give
// the same bits in program order (`fast`) and in time (`stepped`). All engines must compute the
// same timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>

#include "base/error.h"
#include "compiler/program/dependences.h"
#include "sim/simulate.h"
#include "tests/machine/random_vector.h"
#include "tests/machine/rows_memory.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kPrograms = 800;

class ProgramMaker {
 public:
  ProgramMaker(const MachineConfig& config, Random& random)
      : config_(config),
        random_(random),
        vectors_(config, random),
        buffer_rows_(static_cast<std::uint32_t>(config.unified_buffer_rows())) {
    program_.array_rows = config.array_rows;
    program_.array_cols = config.array_cols;
    program_.dtype = config.dtype;
  }

  Program make() {
    DependenceTracker tracker(config_);
    const auto add = [&](const Operation& operation) {
      program_.code.push_back({operation, tracker.add(operation)});
    };
    add(Load{0, 0, buffer_rows_});
    add(Fetch{0});
    add(matmul(0, config_.accumulator_rows, false));
    const std::uint32_t steps = random_.between(2, 12);
    for (std::uint32_t i = 0; i < steps; ++i) step(add);
    for (std::uint32_t row = 0; row < config_.accumulator_rows; row += 4) {
      add(copy_of(row, std::min(4U, config_.accumulator_rows - row)));
    }
    add(Store{0, 10'000, buffer_rows_});
    return program_;
  }

 private:
  template <class Add>
  void step(Add add) {
    const std::uint32_t rows = random_.between(1, 4);
    switch (random_.between(0, 9)) {
      case 0:
        return add(Load{random_.between(0, 99), random_.between(0, buffer_rows_ - rows), rows});
      case 1:
        return add(Store{random_.between(0, buffer_rows_ - rows), random_.between(0, 99), rows});
      case 2:
      case 3:
      case 4:
        add(random_.chance(70) ? Fetch{0, vectors_.tile()} : Fetch{random_.between(0, 9), {}});
        return add(any_matmul());
      default:
        return add(vectors_.vector());
    }
  }

  Matmul matmul(std::uint32_t acc, std::uint32_t rows, bool accumulate) {
    Matmul matmul;
    matmul.ub = contiguous_rows(random_.between(0, buffer_rows_ - rows), rows);
    matmul.acc = acc;
    matmul.rows = rows;
    matmul.accumulate = accumulate;
    return matmul;
  }
  Matmul any_matmul() {
    const std::uint32_t rows = random_.between(1, config_.accumulator_rows);
    return matmul(random_.between(0, config_.accumulator_rows - rows), rows, random_.chance(50));
  }

  // Copies accumulator rows to the buffer, so that their final values are compared too.
  Vector copy_of(std::uint32_t acc, std::uint32_t rows) {
    Vector vector;
    vector.acc = acc;
    vector.rows = rows;
    vector.ub = random_.between(0, buffer_rows_ - rows * config_.result_row_rows());
    return vector;
  }

  const MachineConfig& config_;
  Random& random_;
  testing::RandomVectors vectors_;
  const std::uint32_t buffer_rows_;
  Program program_;
};

MachineConfig machine(Random& random) {
  constexpr ElementType kTypes[] = {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16};
  MachineConfig config = testing::small_vector_machine(kTypes[random.between(0, 2)], random);
  const MachineConfig timing = testing::random_machine(random);
  config.clock_hz = timing.clock_hz;
  config.double_buffer = timing.double_buffer;
  config.weight_fifo_tiles = timing.weight_fifo_tiles;
  config.memory_kind = timing.memory_kind;
  config.memory_bytes_per_s = timing.memory_bytes_per_s;
  config.memory_latency_cycles = timing.memory_latency_cycles;
  config.host_bytes_per_s = timing.host_bytes_per_s;
  config.host_latency_cycles = timing.host_latency_cycles;
  config.queue_depth = timing.queue_depth;
  config.unified_buffer_kib = 4;
  return config;
}

/// Removes some counts and lowers others by one.
void loosen(Program& program, Random& random) {
  for (Instruction& instruction : program.code) {
    for (std::uint32_t& count : instruction.after.count) {
      if (count == 0 || !random.chance(15)) continue;
      count = random.chance(50) ? 0 : count - 1;
    }
  }
}

struct Outcome {
  Timeline timeline;
  std::string error;
  std::map<std::uint64_t, std::vector<std::byte>> rows;
};

Outcome outcome(const MachineConfig& config, const Program& program, Engine engine) {
  testing::RowsMemory memory(config.row_bytes());
  Outcome outcome;
  try {
    outcome.timeline = simulate(config, program, &memory, {engine, 2, {}}).timeline;
    outcome.rows = memory.rows;
  } catch (const HazardError& error) {
    outcome.error = error.what();
  } catch (const DeadlockError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

void check_engines(const MachineConfig& config, const Program& program, std::string& error) {
  const Outcome fast = outcome(config, program, Engine::kFast);
  const Outcome timed = outcome(config, program, Engine::kTimed);
  const Outcome stepped = outcome(config, program, Engine::kStepped);
  const Outcome analytic = outcome(config, program, Engine::kAnalytic);
  ASSERT_EQ(fast.error, stepped.error);
  ASSERT_EQ(fast.error, analytic.error);
  ASSERT_EQ(fast.error, timed.error);
  ASSERT_EQ(fast.timeline, stepped.timeline);
  ASSERT_EQ(fast.timeline, analytic.timeline);
  ASSERT_EQ(fast.timeline, timed.timeline);
  ASSERT_EQ(fast.rows, stepped.rows);
  ASSERT_EQ(fast.rows, timed.rows);
  error = fast.error;
}

TEST(VectorProgramTest, WhatTheHazardCheckLetsPassHasTheSameBitsInProgramOrderAndInTime) {
  std::cout << "seeds 0 to " << kPrograms - 1 << '\n';
  std::map<std::string, int> hits;
  testing::VectorVariety variety;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = machine(random);
    Program program = ProgramMaker(config, random).make();
    for (const Instruction& instruction : program.code) {
      if (const auto* vector = std::get_if<Vector>(&instruction.operation)) variety.add(*vector);
    }
    std::string error;
    ASSERT_NO_FATAL_FAILURE(check_engines(config, program, error));
    ASSERT_EQ(error, "") << "the compiler's dependences are not enough";
    loosen(program, random);
    ASSERT_NO_FATAL_FAILURE(check_engines(config, program, error));
    ++hits[error.substr(0, error.find(' '))];
  }
  EXPECT_EQ(variety.hits().size(), testing::VectorVariety::kAllKinds);
  for (const auto& [name, count] : hits) std::cout << "'" << name << "': " << count << '\n';
  EXPECT_GT(hits[""], 200);
  EXPECT_GT(hits["hazard"], 200);
}

}  // namespace
}  // namespace weft
