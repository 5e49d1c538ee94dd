// The events of random programs, against an oracle that counts them one by one.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>

#include "base/error.h"
#include "sim/analysis/energy.h"
#include "sim/analysis/events.h"
#include "sim/analysis/summary.h"
#include "sim/timing/analytic.h"
#include "tests/analysis/event_oracle.h"
#include "tests/machine/random_program.h"
#include "tests/machine/random_vector.h"

namespace weft {
namespace {

using testing::EventOracle;
using testing::OracleEvents;
using testing::Random;

constexpr std::uint64_t kPrograms = 1500;

/// A walk of at least `rows` rows, often with padding.
RowGenerator random_walk(std::uint32_t rows, Random& random) {
  RowGenerator walk;
  for (RowLoop& loop : walk.loops) {
    loop = {random.between(1, 4), static_cast<std::int32_t>(random.between(0, 3))};
  }
  walk.loops[3].count = rows;
  for (RowBound& bound : walk.bounds) {
    if (random.chance(40)) continue;
    bound = {static_cast<std::int32_t>(random.between(0, 6)) - 3,
             static_cast<std::int32_t>(random.between(0, 4)) - 2, random.between(1, 4)};
  }
  return walk;
}

/// Gives the program's instructions forms that RandomProgram does not draw. Their times stay.
void vary(Program& program, const MachineConfig& config, Random& random) {
  testing::RandomVectors vectors(config, random);
  for (Instruction& instruction : program.code) {
    if (auto* matmul = std::get_if<Matmul>(&instruction.operation)) {
      matmul->accumulate = random.chance(50);
      if (random.chance(60)) matmul->ub = random_walk(matmul->rows, random);
    } else if (auto* vector = std::get_if<Vector>(&instruction.operation)) {
      if (random.chance(80)) *vector = vectors.vector();
    } else if (auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
      if (fetch->buffer) fetch->buffer = vectors.tile();
    }
  }
}

void count_classes(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total, std::map<std::string, int>& hits) {
  ++hits["memory kind " + std::to_string(static_cast<int>(config.memory_kind))];
  ++hits["type " + std::string(to_string(config.dtype))];
  ++hits[config.double_buffer ? "double buffer" : "single buffer"];
  if (config.array_rows == 1) ++hits["one row"];
  if (config.array_cols == 1) ++hits["one column"];
  if (!timeline.pushes.empty() && timeline.pushes.back() >= total) ++hits["push after the end"];
  for (const Instruction& instruction : program.code) {
    if (const auto* load = std::get_if<Load>(&instruction.operation)) {
      ++hits[load->patches ? "patches" : "rows loaded"];
    } else if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
      ++hits[fetch->buffer ? "tile from the buffer" : "tile from memory"];
    } else if (const auto* matmul = std::get_if<Matmul>(&instruction.operation)) {
      ++hits[matmul->accumulate ? "accumulate" : "overwrite"];
      ++hits[matmul->next_weights ? "swap" : "kept weights"];
      const auto read = EventOracle::read_rows(matmul->ub, matmul->rows);
      ++hits[read == matmul->rows ? "no padding rows"
                                  : (read == 0 ? "only padding rows" : "some padding rows")];
    } else if (const auto* vector = std::get_if<Vector>(&instruction.operation)) {
      ++hits["vector mode " + std::to_string(static_cast<int>(vector->mode))];
      ++hits[vector->source ? "vector from the buffer" : "vector from accumulators"];
      ++hits[vector->format == RowFormat::kWide ? "wide result" : "narrow result"];
      if (vector->has_bias) ++hits["bias"];
      if (vector->operand) ++hits["operand"];
      if (!vector->fill) ++hits["no fill"];
    } else {
      ++hits["store"];
    }
  }
}

void expect_oracle(const MachineConfig& config, const EventCounts& events,
                   const OracleEvents& oracle) {
  const auto counts = energy_events({events, std::nullopt, 10, 4}, config);
  const std::array<std::uint64_t, kEnergyEvents.size()> expected = {oracle.macs,
                                                                    0,
                                                                    oracle.activation_moves,
                                                                    oracle.sum_moves,
                                                                    oracle.weight_moves,
                                                                    oracle.accumulator_reads,
                                                                    oracle.accumulator_writes,
                                                                    oracle.accumulator_adds,
                                                                    oracle.buffer_reads,
                                                                    oracle.buffer_writes,
                                                                    oracle.fifo_reads,
                                                                    oracle.fifo_writes,
                                                                    oracle.vector_lanes,
                                                                    oracle.memory_bytes,
                                                                    oracle.host_bytes,
                                                                    4,
                                                                    6};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ASSERT_EQ(counts[i], expected[i]) << kEnergyEvents[i].key;
  }
}

TEST(EventsPropertyTest, RandomProgramsHaveTheEventsThatAreCountedOneByOne) {
  std::cout << "seeds 0 to " << kPrograms - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MachineConfig config = testing::random_machine(random);
    config.unified_buffer_kib = 64;  // room for all forms of vector instructions
    config.accumulator_rows = std::max(6U, config.accumulator_rows);
    Program program = testing::RandomProgram(config, random.between(1, 50), random).program();
    vary(program, config, random);
    Timeline timeline;
    try {
      timeline = analytic_timeline(config, program);
    } catch (const DeadlockError&) {
      ++hits["deadlocked"];
      continue;
    }
    const Cycle total = total_cycles(timeline);
    count_classes(config, program, timeline, total, hits);
    const EventOracle oracle(config, program, timeline, total);
    std::erase_if(timeline.pushes, [total](Cycle push) { return push >= total; });
    const Result result = summarize(config, program, timeline);
    ASSERT_NO_FATAL_FAILURE(expect_oracle(config, result.events, oracle.events()));
  }
  for (const auto& [name, count] : hits) {
    std::cout << name << ": " << count << '\n';
    EXPECT_GE(count, 20) << name;
  }
  EXPECT_EQ(hits.size(), 34U) << "a class of programs was never hit";
}

// The groups are drawn at random; a push belongs to its tile's fetch.
TEST(EventsPropertyTest, GroupsSumToTheRun) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const Program program = testing::RandomProgram(config, random.between(1, 50), random).program();
    Timeline timeline;
    try {
      timeline = analytic_timeline(config, program);
    } catch (const DeadlockError&) {
      continue;
    }
    std::vector<std::uint32_t> groups;
    for (std::size_t i = 0; i < program.code.size(); ++i) groups.push_back(random.between(0, 3));
    EventCounts sum;
    for (const EventCounts& group :
         events_by_group(config, program, timeline.pushes.size(), groups, 4)) {
      sum += group;
    }
    ASSERT_EQ(sum, summarize(config, program, timeline).events);
  }
}

}  // namespace
}  // namespace weft
