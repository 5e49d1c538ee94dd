// Compares tilings with numbers worked out by hand, and checks the planner's errors.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/mapping/advice.h"
#include "compiler/mapping/formula.h"
#include "compiler/mapping/tiling_plan.h"

namespace weft {
namespace {

MachineConfig machine(std::uint32_t rows, std::uint32_t cols) {
  MachineConfig config;
  config.array_rows = rows;
  config.array_cols = cols;
  config.accumulator_rows = 1024;
  config.unified_buffer_kib = 1024;
  return config;
}

MatmulSpec shape(std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  return {m, k, n};
}

std::string message_of(const MatmulSpec& spec, const MachineConfig& config) {
  try {
    plan_matmul(spec, config);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(FormulaTest, OneTileTakesTwiceRPlusCPlusMMinusTwo) {
  const TilingPlan plan = plan_matmul(shape(16, 16, 16), machine(16, 16));
  EXPECT_EQ(plan.formula.weight_load, 16U);
  EXPECT_EQ(plan.formula.steps, 0U);
  EXPECT_EQ(plan.formula.last_fold, 46U);  // 16 + 16+16-2
  EXPECT_EQ(plan.formula_cycles(), 62U);
}

TEST(FormulaTest, FiveBySixBySevenOnFourByFour) {
  const TilingPlan plan = plan_matmul(shape(5, 6, 7), machine(4, 4));
  EXPECT_EQ(plan.k_tiles, 2U);
  EXPECT_EQ(plan.n_tiles, 2U);
  EXPECT_EQ(plan.folds, 4U);
  // 4 pushes, three folds of max(5,4), and the last fold of 5 + 4+4-2.
  EXPECT_EQ(plan.formula_cycles(), 4U + 3 * 5 + 11);
}

TEST(FormulaTest, WithoutDoubleBufferEveryFoldPaysItsWeightLoadAndDrain) {
  MachineConfig config = machine(4, 4);
  config.double_buffer = false;
  const TilingPlan plan = plan_matmul(shape(5, 6, 7), config);
  EXPECT_EQ(plan.formula.weight_load, 4U);
  EXPECT_EQ(plan.formula.last_fold, 11U);
  EXPECT_EQ(plan.formula_cycles(), 4U * (2 * 4 + 4 + 5 - 2));
}

TEST(FormulaTest, FewRowsPayTheWeightShiftOfEveryFoldButTheLast) {
  // M = 2 < R = 3: 3 + (T-1)*3 + 2+4.
  EXPECT_EQ(plan_matmul(shape(2, 3, 3), machine(3, 3)).formula_cycles(), 9U);
  EXPECT_EQ(plan_matmul(shape(2, 3, 4), machine(3, 3)).formula_cycles(), 12U);
  EXPECT_EQ(plan_matmul(shape(2, 3, 6), machine(3, 3)).formula_cycles(), 12U);
  EXPECT_EQ(plan_matmul(shape(2, 3, 7), machine(3, 3)).formula_cycles(), 15U);
}

TEST(FormulaTest, ChunksOutermostPayForEachChunkAndTheLastOneIsShorter) {
  TilingPlan plan;
  plan.spec = shape(10, 8, 4);
  plan.k_tiles = 2;
  plan.n_tiles = 1;
  plan.m_chunks = 3;  // of 4, 4 and 2 rows
  plan.chunk_rows = 4;
  // Five folds take four cycles each, the fifth because a tile takes four pushes; then 2 + 4+4-2.
  EXPECT_EQ(formula_terms(plan, machine(4, 4)), (FormulaTerms{4, 20, 8}));
  MachineConfig single = machine(4, 4);
  single.double_buffer = false;
  // Folds take 2R+C-2 = 10 and their rows: 14 four times, then 12. The last 12 split into R and 8.
  EXPECT_EQ(formula_terms(plan, single), (FormulaTerms{4, 4 * 14 + 12, 8}));
}

TEST(FormulaTest, ChunksUnderAKeptTileAddUpToOneFold) {
  TilingPlan plan;
  plan.spec = shape(10, 4, 8);
  plan.k_tiles = 1;
  plan.n_tiles = 2;
  plan.m_chunks = 5;
  plan.chunk_rows = 2;
  plan.order = LoopOrder::kChunkInnermost;
  EXPECT_EQ(formula_terms(plan, machine(4, 4)), (FormulaTerms{4, 10, 16}));
}

TEST(MacCountTest, PaddingOfKIsPaidInEveryPaddedColumnAndThatOfNInEveryRealRow) {
  const TilingPlan plan = plan_matmul(shape(5, 6, 7), machine(4, 4));
  EXPECT_EQ(plan.macs, (MacCount{5 * 6 * 7, 5 * 8 * 8, 5 * 2 * 8, 5 * 6 * 1}));
  EXPECT_DOUBLE_EQ(plan.padding_waste(), 110.0 / 320.0);
}

TEST(PlanTest, OneChunkWhenEverythingFits) {
  const TilingPlan plan = plan_matmul(shape(20, 64, 64), machine(16, 16));
  EXPECT_EQ(plan.m_chunks, 1U);
  EXPECT_EQ(plan.chunk_rows, 20U);
  EXPECT_TRUE(plan.activations_resident);
  EXPECT_EQ(plan.activation_slots, 4U);
  EXPECT_EQ(plan.accumulator_regions, 4U);  // one per n tile
  EXPECT_EQ(plan.output_slots, 4U);
}

TEST(PlanTest, ThreeRegionsOfTheArraysHeightAreCutFinerSoThatNoMatmulWaitsForTheVectorUnit) {
  MachineConfig config = machine(16, 16);
  config.accumulator_rows = 48;
  // With three regions of 16 rows the fourth tile would wait: after 3*16 cycles the vector unit is
  // still busy, until 16+31+16. With six regions of 8 rows 48 cycles pass, and 8+31+8 + L=1 are 48.
  const TilingPlan plan = plan_matmul(shape(16, 16, 160), config);
  EXPECT_LE(plan.chunk_rows, 8U);
  EXPECT_EQ(plan.folds, 10U);
}

TEST(PlanTest, OneTileIsFetchedOnceForAllChunks) {
  MachineConfig config = machine(16, 16);
  config.accumulator_rows = 64;
  const TilingPlan plan = plan_matmul(shape(1000, 16, 16), config);
  EXPECT_GT(plan.m_chunks, 15U);
  EXPECT_EQ(plan.folds, 1U);
  EXPECT_EQ(plan.order, LoopOrder::kChunkInnermost);
  EXPECT_EQ(plan.formula_cycles(), 16U + 1000 + 30);
}

TEST(PlanTest, TilesWithOneKTileAreKeptForAllChunks) {
  MachineConfig config = machine(16, 16);
  config.accumulator_rows = 128;
  config.memory_kind = MemoryKind::kSplit;
  config.memory_bytes_per_s = config.clock_hz;  // 256 cycles per tile
  config.host_bytes_per_s = 1000 * config.clock_hz;
  const TilingPlan plan = plan_matmul(shape(1000, 16, 64), config);
  EXPECT_EQ(plan.order, LoopOrder::kChunkInnermost);
  EXPECT_EQ(plan.folds, 4U);
}

TEST(PlanTest, ChunksAreEqualButForTheRest) {
  MachineConfig config = machine(8, 8);
  config.accumulator_rows = 100;
  const TilingPlan plan = plan_matmul(shape(266, 24, 24), config);
  EXPECT_LT(plan.m_chunks * plan.chunk_rows - 266, plan.m_chunks);
  EXPECT_EQ(plan.rows_of_chunk(0), plan.chunk_rows);
  EXPECT_EQ(plan.rows_of_chunk(plan.m_chunks - 1), 266 - (plan.m_chunks - 1) * plan.chunk_rows);
}

TEST(PlanTest, RefusesSizesOfZeroByName) {
  const MachineConfig config = machine(4, 4);
  EXPECT_THROW(plan_matmul(shape(0, 1, 1), config), InputError);
  EXPECT_EQ(message_of(shape(0, 1, 1), config), "matmul: M is 0; M, K and N must be at least 1");
  EXPECT_EQ(message_of(shape(1, 0, 1), config), "matmul: K is 0; M, K and N must be at least 1");
  EXPECT_EQ(message_of(shape(1, 1, 0), config), "matmul: N is 0; M, K and N must be at least 1");
}

TEST(PlanTest, RefusesSizesWhoseProductsOverflow) {
  const MachineConfig config = machine(4, 4);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kBig = std::uint64_t{1} << 40;
  EXPECT_THROW(plan_matmul(shape(kBig, kBig, 1), config), InputError);
  EXPECT_THROW(plan_matmul(shape(1, kMax, 1), config), InputError);
  EXPECT_THROW(plan_matmul(shape(1, 1, kMax), config), InputError);
  EXPECT_THROW(plan_matmul(shape(kMax, 1, 1), config), InputError);
  EXPECT_THROW(plan_matmul(shape(kMax, kMax, kMax), config), InputError);
}

TEST(PlanTest, NamesTheLeastUnifiedBufferThatWorks) {
  MachineConfig config = machine(1, 256);  // a result row takes 1024 rows of one byte
  config.unified_buffer_kib = 1;
  EXPECT_THROW(plan_matmul(shape(1, 1, 1), config), ConfigError);
  EXPECT_EQ(
      message_of(shape(1, 1, 1), config),
      "unified_buffer.kib = 1: too small for a matmul, which needs 1025 rows of 1 bytes (1 of "
      "activations, 1024 of results); set unified_buffer.kib to 2 or more");
  MatmulSpec with_bias = shape(1, 1, 1);
  with_bias.bias = true;
  config.unified_buffer_kib = 2;
  EXPECT_NO_THROW(plan_matmul(shape(1, 1, 1), config));
  EXPECT_EQ(
      message_of(with_bias, config),
      "unified_buffer.kib = 2: too small for a matmul, which needs 2049 rows of 1 bytes (1 of "
      "activations, 1024 of results, 1024 of bias); set unified_buffer.kib to 3 or more");
  config.unified_buffer_kib = 3;
  EXPECT_NO_THROW(plan_matmul(with_bias, config));
}

TEST(PlanTest, TakesShapesOfTensOfThousands) {
  const TilingPlan plan = plan_matmul(shape(50'000, 60'000, 70'000), machine(128, 128));
  EXPECT_EQ(plan.macs.useful, 210'000'000'000'000U);
  EXPECT_EQ(plan.k_tiles, 469U);
  EXPECT_EQ(plan.n_tiles, 547U);
  EXPECT_EQ(plan.folds, plan.matmuls());
}

TEST(SuggestionsTest, AreNoneIfTilesAreFullAndMIsLongEnough) {
  const MachineConfig config = machine(16, 16);
  EXPECT_TRUE(suggestions(plan_matmul(shape(16, 32, 48), config), config).empty());
}

TEST(SuggestionsTest, NameTheWasteAndTheWholeTilesBelowAndAbove) {
  const MachineConfig config = machine(128, 128);
  const auto found = suggestions(plan_matmul(shape(1000, 128, 129), config), config);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, SuggestionKind::kWholeTiles);
  EXPECT_EQ(found[0].statement, "N = 129 wastes 49.6 % of the array");  // 127 of 256
  EXPECT_EQ(found[0].alternatives,
            (std::vector<MatmulSpec>{shape(1000, 128, 128), shape(1000, 128, 256)}));
  // Results of 1000 x 256 elements leave, and of 129 x 1024 if the product is transposed.
  EXPECT_EQ(found[1].kind, SuggestionKind::kTransposed);
  EXPECT_EQ(found[1].alternatives, std::vector<MatmulSpec>{shape(129, 128, 1000)});
}

TEST(SuggestionsTest, BelowTheFirstTileThereIsNothing) {
  const MachineConfig config = machine(16, 16);
  const auto found = suggestions(plan_matmul(shape(64, 4, 16), config), config);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].statement, "K = 4 wastes 75.0 % of the array");
  EXPECT_EQ(found[0].alternatives, (std::vector<MatmulSpec>{shape(64, 16, 16)}));
}

TEST(SuggestionsTest, KeepBiasAndActivation) {
  const MachineConfig config = machine(16, 16);
  MatmulSpec spec = shape(64, 4, 16);
  spec.bias = true;
  spec.activation = Activation::kRelu;
  const auto found = suggestions(plan_matmul(spec, config), config);
  spec.k = 16;
  EXPECT_EQ(found.at(0).alternatives.at(0), spec);
}

TEST(SuggestionsTest, ABatchHelpsWhereShiftsDoNotHideBehindRows) {
  MachineConfig config = machine(16, 16);
  const auto found = suggestions(plan_matmul(shape(4, 32, 32), config), config);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, SuggestionKind::kBatch);
  EXPECT_EQ(found[0].statement,
            "M = 4 rows use each tile of weights, which takes 16 cycles to shift in");
  EXPECT_EQ(found[0].alternatives, (std::vector<MatmulSpec>{shape(16, 32, 32)}));
  EXPECT_TRUE(suggestions(plan_matmul(shape(4, 16, 16), config), config).empty()) << "one tile";
  config.double_buffer = false;
  EXPECT_TRUE(suggestions(plan_matmul(shape(4, 32, 32), config), config).empty());
}

TEST(SuggestionsTest, TheWorstWasteComesFirst) {
  const MachineConfig config = machine(16, 16);
  const auto found = suggestions(plan_matmul(shape(2, 30, 17), config), config);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].kind, SuggestionKind::kBatch);  // 87.5 %
  EXPECT_EQ(found[1].statement, "N = 17 wastes 46.9 % of the array");
  EXPECT_EQ(found[2].statement, "K = 30 wastes 6.2 % of the array");
}

}  // namespace
}  // namespace weft
