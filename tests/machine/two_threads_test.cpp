// The engines without global state: several threads simulate at once, each its own products, and
// get the cycles and the bits of a run alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

#include "base/error.h"
#include "tests/machine/run_matmul.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kCases = 300;
constexpr std::uint64_t kThreads = 3;

struct Outcome {
  Timeline analytic;
  Timeline fast;
  Matrix out;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Everything that a case needs is made from its seed.
Outcome outcome(std::uint64_t seed) {
  Random random(seed);
  MachineConfig config = testing::random_machine(random);
  config.unified_buffer_kib = 64;
  MatmulSpec spec;
  spec.m = random.between(1, 40);
  spec.k = random.between(1, 40);
  spec.n = random.between(1, 40);
  const Program program = lower_matmul(plan_matmul(spec, config), config);
  const auto operands = testing::random_operands(spec, config.dtype, true, random);
  const auto fast = testing::run_matmul(config, program, operands, Engine::kFast);
  return {simulate(config, program, nullptr, {Engine::kAnalytic, 1, {}}).timeline,
          fast.result.timeline, fast.out};
}

TEST(TwoThreadsTest, SimulateAtOnceWhatEachSimulatesAlone) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  std::vector<Outcome> alone(kCases);
  for (std::uint64_t seed = 0; seed < kCases; ++seed) alone[seed] = outcome(seed);
  std::vector<std::vector<Outcome>> together(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<Outcome>& outcomes : together) {
    threads.emplace_back([&outcomes] {
      for (std::uint64_t seed = 0; seed < kCases; ++seed) outcomes.push_back(outcome(seed));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Outcome>& outcomes : together) {
    for (std::uint64_t seed = 0; seed < kCases; ++seed) {
      EXPECT_EQ(outcomes[seed], alone[seed]) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace weft
