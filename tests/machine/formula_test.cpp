// Checks published closed forms and consequences of the timing contract on all engines, to the
// cycle. The recurrences are equalities, so both t-1 and t+1 are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/config/config_keys.h"
#include "tests/machine/run_matmul.h"

namespace weft {
namespace {

MachineConfig ideal_machine(std::uint32_t rows, std::uint32_t cols, bool double_buffer) {
  MachineConfig config;
  config.array_rows = rows;
  config.array_cols = cols;
  config.double_buffer = double_buffer;
  config.accumulator_rows = 1 << 14;
  config.unified_buffer_kib = 1 << 12;
  config.weight_fifo_tiles = 64;
  config.queue_depth = 64;
  return config;
}

Result run(const MachineConfig& config, const MatmulSpec& spec, Engine engine) {
  const Program program = lower_matmul(plan_matmul(spec, config), config);
  testing::Random random(1);
  const auto operands = testing::random_operands(spec, config.dtype, true, random);
  return testing::run_matmul(config, program, operands, engine).result;
}

MatmulSpec shape(std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  return {m, k, n};
}

class FormulaTest : public ::testing::TestWithParam<Engine> {};

// One tile takes 2R + C + M - 2 cycles from the first push to the last PE.
TEST_P(FormulaTest, OneTileTakesTwoRowsPlusColumnsPlusMMinusTwo) {
  for (const std::uint32_t r : {1U, 2U, 3U, 7U, 16U}) {
    for (const std::uint32_t c : {1U, 2U, 5U, 16U}) {
      for (const std::uint64_t m : {1U, 2U, 9U, 40U}) {
        const Result result = run(ideal_machine(r, c, true), shape(m, r, c), GetParam());
        EXPECT_EQ(result.array_span, static_cast<Cycle>(2 * r + c + m - 2)) << r << c << m;
      }
    }
  }
}

// The accumulator write comes one cycle after the last PE.
TEST_P(FormulaTest, TheLastAccumulatorWriteIsOneCycleAfterTheLastPe) {
  const MachineConfig config = ideal_machine(5, 3, true);
  const Result result = run(config, shape(7, 5, 3), GetParam());
  const Program program = lower_matmul(plan_matmul(shape(7, 5, 3), config), config);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].unit() != Unit::kMatmul) continue;
    const Cycle written = result.timeline.instructions[i].retired + 1;
    EXPECT_EQ(written - result.timeline.pushes.front(), result.array_span + 1);
  }
}

// T tiles of equal M, double-buffered, take R + (T-1) max(M,R) + M + R+C-2.
TEST_P(FormulaTest, DoubleBufferedTilesTakeMaxOfMAndRowsEach) {
  for (const std::uint64_t m : {4U, 6U, 8U, 9U, 30U}) {
    for (const std::uint64_t k_tiles : {1U, 2U, 5U}) {
      for (const std::uint64_t n_tiles : {1U, 3U, 8U}) {
        const MachineConfig config = ideal_machine(8, 5, true);
        const MatmulSpec spec = shape(m, k_tiles * 8, n_tiles * 5);
        const auto tiles = static_cast<Cycle>(k_tiles * n_tiles);
        const auto rows = static_cast<Cycle>(m);
        const Cycle expected = 8 + (tiles - 1) * std::max<Cycle>(rows, 8) + rows + 8 + 5 - 2;
        EXPECT_EQ(run(config, spec, GetParam()).array_span, expected)
            << m << " rows, " << tiles << " tiles";
        EXPECT_EQ(plan_matmul(spec, config).formula_cycles(), static_cast<std::uint64_t>(expected));
      }
    }
  }
}

// Without double buffering T tiles take T (2R + C + M - 2), SCALE-Sim's weight-stationary law.
TEST_P(FormulaTest, SingleBufferedTilesTakeTheSerialLawEach) {
  for (const std::uint64_t m : {4U, 9U, 30U}) {
    for (const std::uint64_t n_tiles : {1U, 4U}) {
      const MachineConfig config = ideal_machine(8, 5, false);
      const MatmulSpec spec = shape(m, 3 * 8, n_tiles * 5);
      const auto expected = static_cast<Cycle>(3 * n_tiles * (2 * 8 + 5 + m - 2));
      EXPECT_EQ(run(config, spec, GetParam()).array_span, expected);
      EXPECT_EQ(plan_matmul(spec, config).formula_cycles(), static_cast<std::uint64_t>(expected));
    }
  }
}

struct Published {
  std::uint32_t side;
  std::uint64_t m;
  Cycle from_first_activation;
  Cycle with_weight_load;
};

// 3x3 with two rows takes 6 and 9; 2x2 with three rows 5 and 7; 16x16x16 on 16x16 46 and 62.
TEST_P(FormulaTest, SmallPublishedFiguresHold) {
  for (const Published& figure : {Published{3, 2, 6, 9}, {2, 3, 5, 7}, {16, 16, 46, 62}}) {
    const MachineConfig config = ideal_machine(figure.side, figure.side, true);
    const MatmulSpec spec = shape(figure.m, figure.side, figure.side);
    const Result result = run(config, spec, GetParam());
    EXPECT_EQ(result.array_span, figure.with_weight_load);
    EXPECT_EQ(result.array_span - figure.side, figure.from_first_activation);
  }
}

// The TPU documentation says that a 128x128 bf16 matrix unit takes an [8,128] x [128,128] product
// every 8 cycles while the weights stay.
TEST_P(FormulaTest, ATpuMatrixUnitTakesEightRowsInEightCycles) {
  MachineConfig config = ideal_machine(128, 128, true);
  config.dtype = ElementType::kBf16;
  const Result one = run(config, shape(8, 128, 128), GetParam());
  const Result two = run(config, shape(16, 128, 128), GetParam());
  EXPECT_EQ(two.array_span - one.array_span, 8);
}

// The FIFO hides the fetches if F*max(M,R) >= M + 2R + C. One column more is too many.
TEST_P(FormulaTest, TheFifoBindsFromOneBelowItsInequality) {
  struct Case {
    std::uint32_t tiles, rows;
    std::uint64_t m;
  };
  for (const Case& at : {Case{4, 8, 8}, {3, 8, 16}, {5, 8, 4}, {8, 5, 4}, {2, 6, 40}}) {
    const std::uint64_t step = std::max<std::uint64_t>(at.m, at.rows);
    const std::uint64_t cols = at.tiles * step - at.m - 2 * at.rows;  // equality
    for (const std::uint64_t c : {cols, cols + 1}) {
      MachineConfig config = ideal_machine(at.rows, static_cast<std::uint32_t>(c), true);
      config.weight_fifo_tiles = at.tiles;
      const MatmulSpec spec = shape(at.m, 2 * at.rows, 10 * c);
      const auto formula = static_cast<Cycle>(plan_matmul(spec, config).formula_cycles());
      const Cycle span = run(config, spec, GetParam()).array_span;
      if (c == cols) {
        EXPECT_EQ(span, formula) << at.tiles << " tiles, " << at.m << " rows";
      } else {
        EXPECT_GT(span, formula) << at.tiles << " tiles, " << at.m << " rows";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, FormulaTest,
                         ::testing::Values(Engine::kAnalytic, Engine::kFast, Engine::kTimed,
                                           Engine::kStepped),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

// 200 rows meet five layers of 2000x2000 int8 tiles on tpu-v1. The run is bound by the weight
// memory, and the 256-cycle shift is exposed. The ratio of active, stall and shift cycles matches
// the MLP0 row of the TPU paper (12.7 : 53.9 : 15.9) within two points.
TEST(TpuV1Test, Mlp0SharesAreThePublishedOnes) {
  const MachineConfig config = load_preset("tpu-v1");
  const MatmulSpec spec = shape(200, 2000, 5 * 2000);
  const Program program = lower_matmul(plan_matmul(spec, config), config);
  const Result result = simulate(config, program, nullptr, {Engine::kAnalytic, 1, {}});
  const CycleLedger& ledger = result.ledger;
  const auto sum =
      static_cast<double>(ledger.array_active + ledger.weight_stall + ledger.weight_shift);
  const double published = 12.7 + 53.9 + 15.9;
  EXPECT_NEAR(100 * static_cast<double>(ledger.array_active) / sum, 100 * 12.7 / published, 2.0);
  EXPECT_NEAR(100 * static_cast<double>(ledger.weight_stall) / sum, 100 * 53.9 / published, 2.0);
  EXPECT_NEAR(100 * static_cast<double>(ledger.weight_shift) / sum, 100 * 15.9 / published, 2.0);
}

// Holds after the first column of tiles, which waits for activations from the host.
TEST(TpuV1Test, TilesArriveEvery1349Or1350CyclesWithTheShiftExposed) {
  const MachineConfig config = load_preset("tpu-v1");
  const MatmulSpec spec = shape(200, 2000, 5 * 2000);
  const Program program = lower_matmul(plan_matmul(spec, config), config);
  const Result result = simulate(config, program, nullptr, {Engine::kAnalytic, 1, {}});
  const auto& pushes = result.timeline.pushes;
  ASSERT_EQ(pushes.size(), 8U * 40U);
  for (std::size_t i = 24; i < pushes.size(); ++i) {
    EXPECT_GE(pushes[i] - pushes[i - 1], 1349) << i;
    EXPECT_LE(pushes[i] - pushes[i - 1], 1350) << i;
  }
  std::size_t tile = 0;
  Cycle streamed_until = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].unit() != Unit::kMatmul) continue;
    const Cycle started = result.timeline.instructions[i].started;
    if (tile >= 24) {
      EXPECT_LE(streamed_until, pushes[tile]) << "the shift of tile " << tile << " is hidden";
      EXPECT_EQ(started, pushes[tile] + 256);
    }
    streamed_until = started + 200;
    ++tile;
  }
}

}  // namespace
}  // namespace weft
