// The plan that the compiler chooses for one product: tiles through the unified buffer, results
// that leave one by one, sizes of chunks, pacing.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#include "compiler/emit/matmul.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/schedule/network_bound.h"
#include "compiler/schedule/product/map_product.h"
#include "sim/config/config_keys.h"
#include "sim/simulate.h"
#include "tests/machine/random_program.h"

namespace weft::compiler {
namespace {

using weft::testing::Random;

Result run(const TilingPlan& plan, const MachineConfig& config) {
  return simulate(config, *matmul_stream(plan, config));
}

double ratio(const MatmulSpec& spec, const MachineConfig& config) {
  return lower_bound(spec, config).ratio(run(map_product(spec, config), config).total);
}

TEST(ProductSearchTest, NeverTakeLongerThanTheFirstPlan) {
  std::cout << "seeds 0 to 299\n";
  int with_tiles = 0;
  int by_row = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MachineConfig config = weft::testing::random_machine(random);
    config.unified_buffer_kib = random.between(4, 64);
    config.memory_kind = random.chance(50) ? MemoryKind::kSplit : MemoryKind::kShared;
    config.memory_bytes_per_s = config.clock_hz * random.between(1, 64) / 16;
    config.host_bytes_per_s = config.clock_hz * random.between(1, 64) / 16;
    const MatmulSpec spec{random.between(1, 60), random.between(1, 60), random.between(1, 60),
                          random.chance(30), Activation::kNone};
    const TilingPlan plan = map_product(spec, config);
    const Cycle plain = run(plan_matmul(spec, config), config).total;
    ASSERT_LE(run(plan, config).total, plain);
    if (plan.tile_slots == 0 && !plan.stores_by_row) continue;
    with_tiles += plan.tile_slots > 0 ? 1 : 0;
    by_row += plan.stores_by_row ? 1 : 0;
    ASSERT_LE(run(plan, config).total, plain - plain / 50);
  }
  EXPECT_GT(with_tiles, 30);
  EXPECT_GT(by_row, 30);
}

// A longer product is searched by a part of it.
TEST(ProductSearchTest, FindTilesForAProductOfAnyLength) {
  const MachineConfig config = load_preset("tpu-v2");
  for (const std::uint64_t n : {4'096U, 49'152U, 65'536U, 128'256U}) {
    SCOPED_TRACE(n);
    EXPECT_LT(ratio({1, 4096, n}, config), 1.02);
    EXPECT_LT(ratio({128, 4096, n}, config), 1.3);
  }
  EXPECT_LT(ratio({64, 16384, 65536}, config), 1.2);
}

TEST(ProductSearchTest, LeaveOutThePaddingOfNarrowResults) {
  const MachineConfig config = load_preset("tpu-v1");
  EXPECT_LT(ratio({2048, 2048, 16}, config), 1.15);
  EXPECT_LT(ratio({1000, 1000, 10}, config), 1.3);
  EXPECT_FALSE(map_product({2048, 2048, 256}, config).stores_by_row);
}

// More chunks use each tile again, and a slot for each tile loads it once.
TEST(ProductSearchTest, AFasterLinkCostsNothingWhereItOnceCostHalf) {
  MachineConfig config = load_preset("tpu-v2");
  config.array_rows = 7;
  config.array_cols = 33;
  config.memory_kind = MemoryKind::kSplit;
  config.weight_fifo_tiles = 1;
  config.accumulator_rows = 2;
  const MatmulSpec spec{14, 129, 417};
  const auto cycles_at = [&](std::uint64_t bytes_per_s) {
    config.host_bytes_per_s = bytes_per_s;
    return run(map_product(spec, config), config).total;
  };
  EXPECT_LE(cycles_at(1'400'000'000'000), cycles_at(700'000'000'000));
  const TilingPlan plan = map_product(spec, config);
  EXPECT_EQ(TileWalk(plan).loads(), TileWalk(plan).tiles());
}

// With R > C a load brings lanes of other tiles.
TEST(ProductSearchTest, BringLittleThatIsNoWeight) {
  MachineConfig config = load_preset("tpu-v2");
  config.array_rows = 100;
  config.array_cols = 1;
  config.dtype = ElementType::kInt8;
  config.unified_buffer_kib = 256;
  config.accumulator_rows = 256;
  config.queue_depth = 1;
  const TilingPlan plan = map_product({201, 272, 20, true}, config);
  EXPECT_LE(TileWalk(plan).loaded_rows() * config.row_bytes(),
            TileWalk(plan).uses_before(plan.folds) * config.tile_bytes() * 3 / 2);
}

// A small array takes a tile in a few cycles, but the memory takes hundreds to bring one.
TEST(ProductSearchTest, HideTheLatencyOfTheMemoryFromASmallArray) {
  MachineConfig config = load_preset("edge-tpu");
  config.array_rows = 7;
  config.array_cols = 8;
  EXPECT_LT(ratio({4, 1024, 65}, config), 5);  // 30 with four tiles in the FIFO and no more
  config.unified_buffer_kib = 16;              // not all tiles can stay
  EXPECT_LT(ratio({4, 1024, 65}, config), 5);
  config = load_preset("edge-tpu");
  config.array_rows = 16;
  config.array_cols = 8;
  config.weight_fifo_tiles = 1;
  config.double_buffer = false;
  EXPECT_LT(ratio({36, 1024, 3}, config), 3);  // 11
}

// What a ring waits for follows from when its instructions enter the program, and that from depths.
TEST(ProductSearchTest, DeeperFifosAndQueuesCostAtMostAFiftieth) {
  struct Step {
    MatmulSpec spec;
    MachineConfig config;
    std::uint32_t MachineConfig::*depth;
    std::uint32_t from;
    std::uint32_t to;
  };
  MachineConfig edge = load_preset("edge-tpu");
  edge.array_rows = 7;
  edge.host_bytes_per_s = 1'000'000'000;
  edge.double_buffer = false;
  MachineConfig split = load_preset("tpu-v2");
  split.memory_kind = MemoryKind::kSplit;
  split.host_bytes_per_s = 50'000'000'000;
  MachineConfig square = load_preset("tpu-v2");
  square.array_rows = square.array_cols = 16;
  const auto fifo = &MachineConfig::weight_fifo_tiles;
  const auto queues = &MachineConfig::queue_depth;
  // By the pacing of the deeper machine alone these cost 23, 14, 7 and 5 %.
  const std::vector<Step> steps = {
      {{3, 125, 66, true, Activation::kRelu}, edge, fifo, 16, 32},
      {{331, 308, 1}, split, queues, 1, 4},
      {{1, 58, 144}, square, fifo, 4, 8},
      {{329, 423, 3}, load_preset("tpu-v1"), queues, 2, 4},
  };
  for (const Step& step : steps) {
    const auto cycles_with = [&](std::uint32_t depth) {
      MachineConfig config = step.config;
      config.*step.depth = depth;
      return run(map_product(step.spec, config), config).total;
    };
    const Cycle shallow = cycles_with(step.from);
    EXPECT_LE(cycles_with(step.to), shallow + shallow / 50) << step.spec.m << " rows";
  }
}

// More chunks: the first load and the last results are shorter.
TEST(ProductSearchTest, TakeChunksOfOtherSizes) {
  MachineConfig config = load_preset("tpu-v2");
  config.array_rows = 32;
  config.array_cols = 64;
  config.memory_kind = MemoryKind::kSplit;
  config.host_bytes_per_s = 48'000'000'000;
  EXPECT_GE(map_product({1964, 116, 3}, config).m_chunks, 4U);
  config = load_preset("tpu-v2");
  const TilingPlan plan = map_product({1323, 307, 548, true}, config);
  EXPECT_LE(run(plan, config).total, 21'500);  // 22,271 in two chunks
  EXPECT_EQ(TileWalk(plan).loads(), 15U);
}

}  // namespace
}  // namespace weft::compiler
