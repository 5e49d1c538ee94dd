// Compares the proof with happens-before: which instructions are sure to have retired before
// another one starts, from the program's order, its dependences and its tiles alone, without any
// schedule.
#include "sim/analysis/hazards/race_proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "sim/isa/row_generator.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

/// How many instructions of each unit are sure to have retired.
using Retired = std::array<std::uint32_t, kUnitCount>;

void raise(Retired& to, const Retired& least) {
  for (std::size_t u = 0; u < kUnitCount; ++u) to[u] = std::max(to[u], least[u]);
}

/// For each instruction: what is sure to have retired before it starts.
std::vector<Retired> happens_before(const Program& program) {
  std::vector<Retired> before(program.code.size());
  std::array<std::vector<std::size_t>, kUnitCount> of_unit;
  std::uint32_t tiles = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const auto unit = static_cast<std::size_t>(instruction.unit());
    Retired& mine = before[i];
    const auto after = [&](std::size_t u, std::uint32_t count) {
      if (count == 0) return;
      mine[u] = std::max(mine[u], count);
      raise(mine, before[of_unit[u].at(count - 1)]);
    };
    if (!of_unit[unit].empty()) raise(mine, before[of_unit[unit].back()]);
    for (std::size_t u = 0; u < kUnitCount; ++u) after(u, instruction.after.count[u]);
    const auto* matmul = std::get_if<Matmul>(&instruction.operation);
    if (matmul != nullptr && matmul->next_weights) {
      after(static_cast<std::size_t>(Unit::kFetch), ++tiles);
    }
    of_unit[unit].push_back(i);
  }
  return before;
}

/// The instruction's place among those of its unit.
std::uint32_t position(const Program& program, std::size_t index) {
  return static_cast<std::uint32_t>(std::count_if(
      program.code.begin(), program.code.begin() + static_cast<std::ptrdiff_t>(index),
      [&](const Instruction& each) { return each.unit() == program.code[index].unit(); }));
}

bool ordered(const Program& program, const std::vector<Retired>& before, std::size_t first,
             std::size_t second) {
  const auto unit = static_cast<std::size_t>(program.code[first].unit());
  return program.code[first].unit() == program.code[second].unit() ||
         before[second][unit] > position(program, first);
}

struct Rows {
  std::uint64_t begin;
  std::uint64_t end;
  bool written;
};

/// Rows of the unified buffer that a load, a plain matmul, a plain vector or a store touches.
std::vector<Rows> buffer_rows(const MachineConfig& config, const Operation& operation) {
  std::vector<Rows> rows;
  if (const auto* load = std::get_if<Load>(&operation)) {
    rows.push_back({load->ub, std::uint64_t{load->ub} + load->rows, true});
  } else if (const auto* store = std::get_if<Store>(&operation)) {
    rows.push_back({store->ub, std::uint64_t{store->ub} + store->rows, false});
  } else if (const auto* vector = std::get_if<Vector>(&operation)) {
    const std::uint64_t count = std::uint64_t{vector->rows} * config.result_row_rows();
    rows.push_back({vector->ub, vector->ub + count, true});
  }
  return rows;
}

bool overlap(const Rows& a, const Rows& b) {
  return (a.written || b.written) && a.begin < b.end && b.begin < a.end;
}

/// Whether loads, vectors and stores of a compiled product may race on a row of the buffer.
bool buffer_race(const MachineConfig& config, const Program& program) {
  const std::vector<Retired> before = happens_before(program);
  for (std::size_t second = 0; second < program.code.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (ordered(program, before, first, second)) continue;
      for (const Rows& a : buffer_rows(config, program.code[first].operation)) {
        for (const Rows& b : buffer_rows(config, program.code[second].operation)) {
          if (overlap(a, b)) return true;
        }
      }
    }
  }
  return false;
}

MachineConfig small_machine(Random& random) {
  MachineConfig config = testing::random_machine(random);
  config.array_rows = random.between(1, 5);
  config.array_cols = random.between(1, 5);
  config.dtype = ElementType::kInt8;
  config.unified_buffer_kib = random.between(1, 2);
  config.accumulator_rows = random.between(1, 24);
  return config;
}

/// A compiled product on a random machine.
Program compiled(const MachineConfig& config, Random& random) {
  const MatmulSpec spec = {random.between(1, 20), random.between(1, 16), random.between(1, 16),
                           random.chance(50)};
  return lower_matmul(plan_matmul(spec, config), config);
}

TEST(RaceProofTest, ProvesEveryCompiledProduct) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const MachineConfig config = small_machine(random);
    const auto race = find_possible_race(config, compiled(config, random));
    EXPECT_FALSE(race) << "seed " << seed << ": " << race->hazard;
  }
}

TEST(RaceProofTest, FindsEveryRaceOfLoadsVectorsAndStoresThatHappensBeforeFinds) {
  std::cout << "seeds 0 to 149\n";
  int races = 0;
  int removals = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = small_machine(random);
    Program program = compiled(config, random);
    // Removes some dependences at random.
    for (Instruction& instruction : program.code) {
      for (std::uint32_t& count : instruction.after.count) {
        if (count == 0 || !random.chance(10)) continue;
        count = 0;
        ++removals;
      }
    }
    const bool expected = buffer_race(config, program);
    races += expected ? 1 : 0;
    if (expected) {
      EXPECT_TRUE(find_possible_race(config, program).has_value());
    }
  }
  EXPECT_GT(races, 20);
  EXPECT_GT(removals, 100);
}

TEST(RaceProofTest, NamesTheInstructionThatMustBeLate) {
  MachineConfig config;
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  program.code.push_back({Load{0, 0, 4}, {}});
  program.code.push_back({Store{0, 100, 4}, {}});  // does not wait for the load
  const auto race = find_possible_race(config, program);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->late, 0U);
  EXPECT_NE(race->hazard.find("instruction 1 (store) reads unified buffer row 0"),
            std::string::npos)
      << race->hazard;
  program.code[1].after.count[static_cast<std::size_t>(Unit::kLoad)] = 1;
  EXPECT_FALSE(find_possible_race(config, program));
}

// The store waits for a vector instruction that itself takes longer than the second load usually
// does. Only a late load shows that it does not wait for the load.
TEST(RaceProofTest, FindsARaceThatOnlyALateInstructionShows) {
  MachineConfig config;
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  Matmul matmul;
  matmul.ub = contiguous_rows(8, 4);
  matmul.rows = 4;
  program.code.push_back({Load{0, 8, 4}, {}});
  program.code.push_back({Load{100, 0, 4}, {}});
  program.code.push_back({Fetch{}, {}});
  program.code.push_back({matmul, {}});
  program.code.push_back({Vector{.acc = 0, .ub = 20, .rows = 4}, {}});
  program.code.push_back({Store{0, 200, 4}, {}});
  const auto wait = [&](std::size_t instruction, Unit unit, std::uint32_t count) {
    program.code[instruction].after.count[static_cast<std::size_t>(unit)] = count;
  };
  wait(3, Unit::kLoad, 1);
  wait(4, Unit::kMatmul, 1);
  wait(5, Unit::kVector, 1);
  const auto race = find_possible_race(config, program);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->late, 1U);
  wait(5, Unit::kLoad, 2);
  EXPECT_FALSE(find_possible_race(config, program));
}

TEST(RaceProofTest, RefusesProgramsThatWaitForLaterInstructions) {
  MachineConfig config;
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  program.code.push_back({Store{0, 100, 4}, {}});
  program.code.push_back({Load{0, 0, 4}, {}});
  program.code[0].after.count[static_cast<std::size_t>(Unit::kLoad)] = 1;
  EXPECT_THROW(find_possible_race(config, program), InputError);
}

}  // namespace
}  // namespace weft
