// Energy against naive loops and hand counts.
#include "sim/analysis/energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/tiling_plan.h"
#include "sim/analysis/group_ledger.h"
#include "sim/analysis/summary.h"
#include "sim/config/config_keys.h"
#include "sim/isa/row_generator.h"
#include "sim/simulate.h"
#include "sim/timing/analytic.h"
#include "tests/analysis/event_oracle.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::EventOracle;
using testing::OracleEvents;
using testing::Random;

/// MACs that are no padding: products of an element of A with an element of B, one by one.
std::uint64_t naive_useful_macs(const MatmulSpec& spec) {
  std::uint64_t macs = 0;
  for (std::uint64_t m = 0; m < spec.m; ++m) {
    for (std::uint64_t n = 0; n < spec.n; ++n) {
      for (std::uint64_t k = 0; k < spec.k; ++k) ++macs;
    }
  }
  return macs;
}

/// Picojoules of a run on an int8 machine in 45 nm: the published figures, written out.
double naive_picojoules(const MachineConfig& config, const OracleEvents& events, Cycle cycles) {
  const auto sram = [](double bytes) {  // 10, 20, 100 pJ at 8 KiB, 32 KiB, 1 MiB
    const double kib = bytes / 1024;
    if (kib < 32) return 10 * std::pow(kib / 8, 0.5);
    return 20 * std::pow(kib / 32, std::log(5.0) / std::log(32.0));
  };
  const auto real = [](std::uint64_t count) { return static_cast<double>(count); };
  const double r = config.array_rows;
  const double c = config.array_cols;
  double pj = 0;
  pj += real(events.macs) * (0.2 + 0.1);
  pj += real(events.activation_moves) * 8 * 0.1 / 32;
  pj += real(events.sum_moves) * 32 * 0.1 / 32;
  pj += real(events.weight_moves) * 8 * 0.1 / 32;
  const double column_words = c * 4 / 8;  // 64-bit words of a row of sums
  pj += real(events.accumulator_reads + events.accumulator_writes) * column_words *
        sram(4.0 * config.accumulator_rows);
  pj += real(events.accumulator_adds) * 0.1;
  pj += real(events.buffer_reads + events.buffer_writes) * r / 8 *
        sram(1024.0 * config.unified_buffer_kib);
  pj +=
      real(events.fifo_reads + events.fifo_writes) * c / 8 * sram(r * c * config.weight_fifo_tiles);
  pj += real(events.vector_lanes) * (3.7 + 0.9);
  pj += real(events.memory_bytes) / 8 * (1300 + 2600) / 2;
  pj += real(events.host_bytes) * 8 * 5;
  const double seconds = static_cast<double>(cycles) / static_cast<double>(config.clock_hz);
  return pj + static_cast<double>(config.static_milliwatts) * 1e9 * seconds;
}

TEST(EnergyTest, AProductTakesItsEventsCountedByANaiveLoop) {
  constexpr std::uint64_t kCases = 300;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  const EnergyTable table = load_energy_table("45nm");
  int padded = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MachineConfig config = testing::random_machine(random);
    config.dtype = ElementType::kInt8;
    config.unified_buffer_kib = 64;
    config.static_milliwatts = random.between(0, 40'000);
    const MatmulSpec spec{.m = random.between(1, 20),
                          .k = random.between(1, 40),
                          .n = random.between(1, 40),
                          .bias = random.chance(40)};
    const TilingPlan plan = plan_matmul(spec, config);
    const Program program = lower_matmul(plan, config);
    const Result result = simulate(config, *matmul_stream(plan, config));
    const EventOracle oracle(config, program, analytic_timeline(config, program), result.total);
    const std::uint64_t useful = naive_useful_macs(spec);
    const EnergyAccount account = energy_account(
        {result.events, useful, result.total, result.ledger.array_active}, config, table);
    ASSERT_EQ(account.counts[0], useful);
    ASSERT_EQ(account.counts[1], oracle.events().macs - useful);
    ASSERT_EQ(account.counts[2], oracle.events().activation_moves);
    ASSERT_EQ(account.counts[8], oracle.events().buffer_reads);
    padded += account.counts[1] > 0 ? 1 : 0;
    const double expected = naive_picojoules(config, oracle.events(), result.total) * 1e-12;
    ASSERT_NEAR(account.joules(), expected, 1e-9 * expected);
    double units = 0;
    for (std::size_t unit = 0; unit < kEnergyUnits; ++unit) {
      units += account.joules_of(static_cast<EnergyUnit>(unit));
    }
    ASSERT_NEAR(units, account.joules(), 1e-12 * units);
  }
  EXPECT_GT(padded, 100);
}

// The least product: one row through one PE. By hand: one MAC, one push, one swap.
TEST(EnergyTest, OneMultiplyAccumulateByHand) {
  MachineConfig config;
  config.array_rows = 1;
  config.array_cols = 1;
  const TilingPlan plan = plan_matmul({.m = 1, .k = 1, .n = 1}, config);
  const Result result = simulate(config, *matmul_stream(plan, config));
  const auto counts = energy_events({result.events, 1, result.total, 1}, config);
  // MAC, padding, activation, sum, weight (shadow, passed on, active), accumulator write and the
  // vector unit's read, FIFO in and out; the result of 4 bytes takes 4 rows of one byte each.
  const std::array<std::uint64_t, kEnergyEvents.size()> expected = {
      1,
      0,
      1,
      1,
      3,
      1,
      1,
      0,
      1 + 4,
      1 + 4,
      1,
      1,
      1,
      1 + 1 + 4,
      0,
      1,
      static_cast<std::uint64_t>(result.total) - 1};
  EXPECT_EQ(counts, expected);
}

// The second tile arrives in the last cycle of the run, so it would be pushed in the cycle after.
TEST(EnergyTest, APushAfterTheEndIsNone) {
  MachineConfig config;
  config.array_rows = 2;
  config.array_cols = 2;
  Program program;
  program.array_rows = 2;
  program.array_cols = 2;
  program.dtype = ElementType::kInt8;
  Matmul matmul;
  matmul.ub = contiguous_rows(0, 3);
  matmul.rows = 3;
  const auto add = [&](const Operation& operation, Unit after, std::uint32_t count) {
    program.code.push_back({operation, {}});
    program.code.back().after[after] = count;
  };
  add(Load{0, 0, 3}, Unit::kLoad, 0);
  add(Fetch{}, Unit::kLoad, 0);
  add(matmul, Unit::kLoad, 1);
  add(Fetch{}, Unit::kMatmul, 1);
  Timeline timeline = analytic_timeline(config, program);
  const Cycle total = total_cycles(timeline);
  ASSERT_EQ(timeline.pushes.size(), 2U);
  ASSERT_EQ(timeline.pushes.back(), total);
  GroupLedger groups(config);
  StreamedRun run(config, &groups);
  for (std::uint32_t i = 0; i < 4; ++i) {
    groups.begin_group(i / 3);
    run.accept(program.code[i]);
  }
  const EventCounts streamed = run.finish().events;
  EXPECT_EQ(streamed.tiles, 2U);
  EXPECT_EQ(streamed.pushes, 1U);
  EXPECT_EQ(groups.events().at(0).pushes, 1U);
  EXPECT_EQ(groups.events().at(1).pushes, 0U);
  EXPECT_EQ(groups.events().at(1).tiles, 1U);
  timeline.pushes.pop_back();
  EXPECT_EQ(streamed, summarize(config, program, timeline).events);
  const std::vector<std::uint32_t> group_of = {0, 0, 0, 1};
  EXPECT_EQ(groups.events(), events_by_group(config, program, 1, group_of, 2));
}

TEST(EnergyTest, PaddingCostsTheShareThatTheTableSays) {
  EnergyTable table = load_energy_table("45nm");
  table.padding = 0.25;
  const MachineConfig config;
  EXPECT_DOUBLE_EQ(event_energies(config, table)[1], 0.25 * 0.3);
}

TEST(EnergyTest, TooManyEventsAreAnError) {
  MachineConfig config;
  config.array_rows = 4096;
  config.array_cols = 4096;
  EventCounts events;
  events.streamed_rows = std::uint64_t{1} << 41U;
  EXPECT_THROW(energy_events({events, std::nullopt, 0, 0}, config), SimulationError);
}

TEST(EnergyTest, ThePeIsTheOneOfTheSynthesisTable) {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/docs/rtl.md");
  std::ostringstream text;
  text << in.rdbuf();
  const auto row = [](const char* name, const PeCells& pe) {
    return "| " + std::string(name) + " | " + std::to_string(pe.gates) + " | " +
           std::to_string(pe.flip_flops) + " |";
  };
  for (const std::string& expected : {row("`pe_int8`", pe_cells(ElementType::kInt8)),
                                      row("`pe_float`, bf16", pe_cells(ElementType::kBf16)),
                                      row("`pe_float`, fp16", pe_cells(ElementType::kFp16))}) {
    EXPECT_NE(text.str().find(expected), std::string::npos) << expected;
  }
}

// 2 x 2 int8 PEs at 45 nm; skew: 1 activation, 1 weight; deskew: 1 sum.
TEST(EnergyTest, AreaByHand) {
  MachineConfig config;
  config.array_rows = 2;
  config.array_cols = 2;
  const double gates = 4 * 707;
  const double flip_flops = 4 * 66 + 8 + 8 + 32;
  const auto area = area_mm2(config, load_energy_table("45nm"));
  ASSERT_TRUE(area);
  EXPECT_NEAR(*area, (gates * 0.798 + flip_flops * 4.522) / 1e6, 1e-12);
  EnergyTable without = load_energy_table("45nm");
  without.gate_um2.reset();
  EXPECT_FALSE(area_mm2(config, without));
}

}  // namespace
}  // namespace weft
