// A product that is simulated while its instructions are made gives the result of its held program:
// cycles, ledger, traffic, critical path and all. What repeats is skipped in one of the two
// streamed runs. The shapes are long enough along one or two dimensions that it is, in every loop
// of the walk.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "sim/analysis/hazards/hazard_check.h"
#include "sim/analysis/summary.h"
#include "sim/simulate.h"
#include "sim/timing/analytic.h"
#include "tests/machine/random_program.h"
#include "tests/machine/random_transfers.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kCases = 400;
constexpr std::uint64_t kFewestMatmuls = 1'500;
constexpr std::uint64_t kMostMatmuls = 40'000;

// Mostly a few tiles, sometimes hundreds or thousands, with or without padding.
std::uint64_t random_size(std::uint32_t side, Random& random) {
  const std::uint64_t tiles = random.chance(25)   ? random.between(300, 8000)
                              : random.chance(40) ? random.between(5, 300)
                                                  : random.between(1, 4);
  return random.chance(30) ? tiles * side : (tiles - 1) * side + random.between(1, side);
}

TilingPlan random_plan(MachineConfig& config, Random& random) {
  while (true) {
    MatmulSpec spec;
    spec.m = random_size(config.array_rows, random);
    spec.k = random_size(config.array_rows, random);
    spec.n = random_size(config.array_cols, random);
    spec.bias = random.chance(40);
    try {
      const TilingPlan plan = plan_matmul(spec, config);
      if (plan.matmuls() >= kFewestMatmuls && plan.matmuls() <= kMostMatmuls) return plan;
    } catch (const ConfigError&) {
      config.unified_buffer_kib = 64;
    }
  }
}

Result of_held_program(const MachineConfig& config, const Program& program) {
  Timeline timeline = analytic_timeline(config, program);
  const Cycle total = total_cycles(timeline);
  std::erase_if(timeline.pushes, [total](Cycle push) { return push >= total; });
  check_hazards(config, program, timeline);
  Result result = summarize(config, program, std::move(timeline));
  result.critical_path = critical_path(config, program);
  return result;
}

void expect_same(const Result& streamed, const Result& held) {
  ASSERT_EQ(streamed.instructions, held.instructions);
  ASSERT_EQ(streamed.total, held.total);
  ASSERT_EQ(streamed.array_span, held.array_span);
  ASSERT_EQ(streamed.ledger, held.ledger);
  ASSERT_EQ(streamed.span_ledger, held.span_ledger);
  ASSERT_EQ(streamed.critical_path.sum(), held.total);
  ASSERT_EQ(streamed.critical_path.cycles, held.critical_path.cycles);
  ASSERT_EQ(streamed.traffic, held.traffic);
  ASSERT_EQ(streamed.issued_macs, held.issued_macs);
  ASSERT_EQ(streamed.events, held.events);
}

const char* walk_of(const TilingPlan& plan) {
  if (plan.order == LoopOrder::kChunkInnermost) {
    return plan.activations_resident ? "innermost, resident" : "innermost, streamed";
  }
  return plan.activations_resident ? "outermost, resident" : "outermost, streamed";
}

TEST(StreamPropertyTest, AStreamedProductHasTheResultOfItsHeldProgram) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MachineConfig config = testing::random_machine(random);
    TilingPlan plan = testing::with_random_stores(random_plan(config, random), config, random);
    if (seed % 4 == 0) plan = testing::with_random_transfers(plan, config, random);
    if (plan.stores_by_row) ++hits["results one by one"];
    if (plan.tile_slots > 0) ++hits["tiles through the buffer"];
    const Result held = of_held_program(config, lower_matmul(plan, config));
    const Result replayed = simulate(config, *matmul_stream(plan, config), nullptr, false);
    const Result skipped = simulate(config, *matmul_stream(plan, config), nullptr, true);
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    ASSERT_EQ(analytic_total(config, *matmul_stream(plan, config), left), held.total);
    ASSERT_NO_FATAL_FAILURE(expect_same(replayed, held));
    ASSERT_NO_FATAL_FAILURE(expect_same(skipped, held));
    ASSERT_EQ(replayed.skipped_instructions, 0U);
    if (skipped.skipped_instructions == 0) {
      ++hits["nothing skipped"];
      continue;
    }
    ++hits[walk_of(plan)];
    ++hits["memory kind " + std::to_string(static_cast<int>(config.memory_kind))];
    ++hits[config.double_buffer ? "double buffer" : "single buffer"];
    ++hits[plan.spec.bias ? "bias" : "no bias"];
    if (plan.k_tiles > 300) ++hits["long K"];
    if (plan.n_tiles > 300) ++hits["long N"];
    if (plan.m_chunks > 300) ++hits["many chunks"];
    if (skipped.skipped_instructions * 4 > 3 * held.instructions) ++hits["most is skipped"];
  }
  for (const auto& [name, count] : hits) {
    RecordProperty(name, count);
    std::cout << name << ": " << count << '\n';
    EXPECT_GT(count, 3) << name;
  }
  EXPECT_EQ(hits.size(), 18U);
}

}  // namespace
}  // namespace weft
