// Compiled products on random machines: all engines give the same total, the same ledger and the
// same cycles for every instruction. Those with values give the bits of the naive in-order loop.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>

#include "base/error.h"
#include "tests/machine/matmul_oracle.h"
#include "tests/machine/random_transfers.h"
#include "tests/machine/run_matmul.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kCases = 2200;

// 1, multiples of the array's side, one more, one less, and anything.
std::uint32_t random_size(std::uint32_t side, Random& random) {
  switch (random.between(0, 5)) {
    case 0:
      return 1;
    case 1:
      return side * random.between(1, 3);
    case 2:
      return side * random.between(1, 2) + 1;
    case 3:
      return std::max(1U, side * random.between(1, 2) - 1);
    default:
      return random.between(1, 40);
  }
}

MatmulSpec random_spec(const MachineConfig& config, Random& random) {
  MatmulSpec spec;
  spec.m = random_size(config.array_rows, random);
  spec.k = random_size(config.array_rows, random);
  spec.n = random_size(config.array_cols, random);
  spec.bias = random.chance(40);
  spec.activation = static_cast<Activation>(random.between(0, 2));
  return spec;
}

std::string relation(std::uint64_t size, std::uint32_t side) {
  if (size == 1) return "one";
  if (size % side == 0) return "exact";
  if (size % side == 1) return "one over";
  return size < side ? "smaller" : "ragged";
}

void count_classes(const MachineConfig& config, const TilingPlan& plan,
                   std::map<std::string, int>& hits) {
  ++hits["m " + relation(plan.spec.m, config.array_rows)];
  ++hits["k " + relation(plan.spec.k, config.array_rows)];
  ++hits["n " + relation(plan.spec.n, config.array_cols)];
  ++hits[plan.spec.bias ? "bias" : "no bias"];
  ++hits["activation " + std::to_string(static_cast<int>(plan.spec.activation))];
  ++hits[config.double_buffer ? "double buffer" : "single buffer"];
  ++hits["memory kind " + std::to_string(static_cast<int>(config.memory_kind))];
  ++hits["type " + std::string(to_string(config.dtype))];
  ++hits["fifo " + std::to_string(config.weight_fifo_tiles)];
  ++hits[plan.m_chunks > 1 ? "several chunks" : "one chunk"];
  ++hits[plan.activations_resident ? "activations resident" : "activations streamed"];
  if (plan.order == LoopOrder::kChunkInnermost) ++hits["kept weights"];
  if (plan.tile_slots > 0) {
    ++hits[plan.buffered_tiles == kTileShares ? "all tiles buffered" : "some tiles buffered"];
  }
  if (config.array_rows == 1) ++hits["one row"];
  if (config.array_cols == 1) ++hits["one column"];
}

template <class Arithmetic>
void check_case(const MachineConfig& config, const TilingPlan& plan, bool any_bits,
                Random& random) {
  const Program program = lower_matmul(plan, config);
  const auto operands = testing::random_operands(plan.spec, config.dtype, any_bits, random);
  const Result analytic = simulate(config, program, nullptr, {Engine::kAnalytic, 1, {}});
  const auto fast = testing::run_matmul(config, program, operands, Engine::kFast, 2);
  const auto timed = testing::run_matmul(config, program, operands, Engine::kTimed);
  const auto stepped = testing::run_matmul(config, program, operands, Engine::kStepped);
  ASSERT_EQ(analytic.timeline, fast.result.timeline);
  ASSERT_EQ(analytic.timeline, timed.result.timeline);
  ASSERT_EQ(analytic.timeline, stepped.result.timeline);
  ASSERT_EQ(analytic.ledger, fast.result.ledger);
  ASSERT_EQ(analytic.ledger, timed.result.ledger);
  ASSERT_EQ(analytic.ledger, stepped.result.ledger);
  ASSERT_EQ(analytic.ledger.sum(), analytic.total);
  ASSERT_EQ(analytic.issued_macs, plan.macs.issued);
  ASSERT_EQ(analytic.events, fast.result.events);
  ASSERT_EQ(analytic.events, timed.result.events);
  ASSERT_EQ(analytic.events, stepped.result.events);
  const Matrix expected = testing::oracle_matmul<Arithmetic>(
      operands.a, operands.b, plan.spec.bias ? &operands.bias : nullptr, plan.spec,
      config.array_rows);
  ASSERT_EQ(fast.out, expected);
  ASSERT_EQ(timed.out, expected);
  ASSERT_EQ(stepped.out, expected);
}

TEST(EngineAgreementTest, EnginesAgreeWithEachOtherAndWithTheInOrderLoop) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MachineConfig config = testing::random_machine(random);
    const MatmulSpec spec = random_spec(config, random);
    TilingPlan plan;
    try {
      plan = plan_matmul(spec, config);
    } catch (const ConfigError&) {
      ++hits["buffer too small"];
      config.unified_buffer_kib = 64;
      plan = plan_matmul(spec, config);
    }
    plan = testing::with_random_transfers(plan, config, random);
    count_classes(config, plan, hits);
    const bool any_bits = random.chance(50);
    ASSERT_NO_FATAL_FAILURE(with_arithmetic(config.dtype, [&]<class Arithmetic>(Arithmetic) {
      check_case<Arithmetic>(config, plan, any_bits, random);
    }));
  }
  for (const auto& [name, count] : hits) {
    std::cout << name << ": " << count << '\n';
    EXPECT_GE(count, 20) << name;
  }
  EXPECT_GE(hits.size(), 40U) << "a class of shapes was never hit";
}

}  // namespace
}  // namespace weft
