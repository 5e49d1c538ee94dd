// The account of a streamed product, in which repetitions are skipped, is that of its held program.
#include <gtest/gtest.h>

#include <iostream>

#include "compiler/emit/matmul.h"
#include "report/explain/account_text.h"
#include "report/explain/product_explanation.h"
#include "runtime/analysis/fold_account.h"
#include "sim/config/config_keys.h"
#include "sim/simulate.h"
#include "tests/machine/random_program.h"
#include "tests/machine/random_transfers.h"

namespace weft::report {
namespace {

using weft::testing::Random;

constexpr std::uint64_t kCases = 300;

MatmulSpec random_spec(const MachineConfig& config, Random& random) {
  const std::uint32_t longest = random.between(0, 2);
  const auto size = [&](std::uint32_t dimension, std::uint32_t side) -> std::uint64_t {
    const std::uint64_t tiles =
        dimension == longest ? random.between(1'000, 6'000) : random.between(1, 3);
    return random.chance(40) ? tiles * side : (tiles - 1) * side + random.between(1, side);
  };
  return {size(0, config.array_rows), size(1, config.array_rows), size(2, config.array_cols),
          random.chance(30), Activation::kNone};
}

TEST(AccountStreamTest, SkippedFoldsAreSummarizedAsIfTheyHadBeenSeen) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    MachineConfig config = load_preset("tiny");
    config.double_buffer = random.chance(70);
    config.memory_kind = random.chance(50) ? MemoryKind::kShared : MemoryKind::kSplit;
    config.memory_bytes_per_s = config.clock_hz * random.between(1, 40) / 2;
    const MatmulSpec spec = random_spec(config, random);
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ": " << spec.m << " x " << spec.k << " x " << spec.n);
    const TilingPlan plan =
        testing::with_random_transfers(plan_matmul(spec, config), config, random);
    const auto tile_of = [tiles = plan.k_tiles * plan.n_tiles](std::uint64_t fetch) {
      return fetch % tiles;
    };
    const std::uint64_t steps = random.between(1, 12);
    const runtime::ContractionShape shape = product_shape(spec);
    runtime::AccountObserver observer(shape, config, steps, tile_of);
    const Result result = simulate(config, *matmul_stream(plan, config), &observer);
    runtime::AccountObserver every_fold(shape, config, steps, tile_of);
    StreamedRun run(config, &every_fold);
    for (const Instruction& instruction : lower_matmul(plan, config).code) run.accept(instruction);
    const runtime::Account expected = every_fold.account(run.finish());
    ASSERT_EQ(account_json(observer.account(result), shape), account_json(expected, shape));
    if (result.skipped_instructions > 0) ++skipped;
  }
  RecordProperty("skipped", static_cast<int>(skipped));
  EXPECT_GT(skipped, 100U);
}

}  // namespace
}  // namespace weft::report
