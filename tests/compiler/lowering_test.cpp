// Checks small programs instruction by instruction, and the zero point folded into the bias.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/pacing.h"

namespace weft {
namespace {

MachineConfig machine() {
  MachineConfig config;  // 4x4 int8, four UB rows per result row
  config.accumulator_rows = 64;
  return config;
}

Program lower(const MatmulSpec& spec, const MachineConfig& config = machine()) {
  return lower_matmul(plan_matmul(spec, config), config);
}

const Vector& first_vector(const Program& program) {
  for (const Instruction& instruction : program.code) {
    if (const auto* vector = std::get_if<Vector>(&instruction.operation)) return *vector;
  }
  throw std::logic_error("no vector instruction");
}

TEST(LowerMatmulTest, OneTileIsFiveInstructionsInAChainOfDependences) {
  const Program program = lower({3, 4, 4});
  ASSERT_EQ(program.code.size(), 5U);
  EXPECT_EQ(program.code[0], (Instruction{Fetch{0}, {}}));
  EXPECT_EQ(program.code[1], (Instruction{Load{0, 0, 3}, {}}));
  const auto& matmul = std::get<Matmul>(program.code[2].operation);
  EXPECT_EQ(matmul.rows, 3U);
  EXPECT_FALSE(matmul.accumulate);
  EXPECT_TRUE(matmul.next_weights);
  EXPECT_EQ(program.code[2].after, (After{{1, 0, 0, 0, 0}}));
  EXPECT_EQ(program.code[3].unit(), Unit::kVector);
  EXPECT_EQ(program.code[3].after, (After{{0, 0, 1, 0, 0}}));
  // Results start in host memory after the three activation rows.
  EXPECT_EQ(std::get<Store>(program.code[4].operation).host, 3U);
  EXPECT_EQ(std::get<Store>(program.code[4].operation).rows, 12U);
  EXPECT_EQ(program.code[4].after, (After{{0, 0, 0, 1, 0}}));
}

TEST(LowerMatmulTest, DeclaresTensorsOneBehindTheOther) {
  const Program program = lower({3, 5, 7, true});  // 2 k tiles, 2 n tiles
  const std::vector<TensorDecl> expected = {
      {"a", TensorRole::kActivation, ElementType::kInt8, 3, 5, 0},
      {"b", TensorRole::kWeights, ElementType::kInt8, 5, 7, 0},
      {"bias", TensorRole::kBias, ElementType::kInt32, 1, 7, 6},
      {"out", TensorRole::kResult, ElementType::kInt32, 3, 7, 14},
  };
  EXPECT_EQ(program.tensors, expected);
  EXPECT_EQ(program.computes, (MatmulSpec{3, 5, 7, true}));
  EXPECT_NO_THROW(validate(program, machine()));
}

TEST(LowerMatmulTest, BiasThatFitsIsLoadedOnce) {
  const Program program = lower({3, 5, 7, true});
  int bias_loads = 0;
  for (const Instruction& instruction : program.code) {
    const auto* load = std::get_if<Load>(&instruction.operation);
    if (load == nullptr || load->host < 6) continue;
    EXPECT_EQ(load->rows, 8U);  // two n tiles of four UB rows
    ++bias_loads;
  }
  EXPECT_EQ(bias_loads, 1);
}

/// Returns, for each instruction of `unit`, how many matmuls precede it in the program.
std::vector<int> matmuls_before(const Program& program, Unit unit) {
  std::vector<int> positions;
  int matmuls = 0;
  for (const Instruction& instruction : program.code) {
    if (instruction.unit() == unit) positions.push_back(matmuls);
    matmuls += instruction.unit() == Unit::kMatmul ? 1 : 0;
  }
  return positions;
}

/// Two chunks of 20 rows, 2 k tiles, 4 n tiles, two sets of activations.
TilingPlan two_chunks(const MachineConfig& config) {
  TilingPlan plan;
  plan.spec = {40, 8, 16};
  plan.k_tiles = 2;
  plan.n_tiles = 4;
  plan.m_chunks = 2;
  plan.chunk_rows = 20;
  plan.folds = 16;
  plan.accumulator_regions = 3;
  plan.activations_resident = true;
  plan.activation_slots = 4;
  plan.output_slots = 2;
  plan.pacing = pace(plan, config);
  return plan;
}

TEST(LowerMatmulTest, SpreadsTheNextChunksLoadsOverTheChunkBefore) {
  const Program program = lower_matmul(two_chunks(machine()), machine());
  // Chunk 0 is loaded on demand, chunk 1 after chunk 0's first pass over K, every third matmul.
  EXPECT_EQ(matmuls_before(program, Unit::kLoad), (std::vector<int>{0, 1, 3, 6}));
}

TEST(LowerMatmulTest, FetchesEachTileAMatmulAheadAndFollowsEachRegionByItsVectorAndStore) {
  const Program program = lower_matmul(two_chunks(machine()), machine());
  EXPECT_EQ(matmuls_before(program, Unit::kFetch),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(matmuls_before(program, Unit::kVector), (std::vector<int>{3, 5, 7, 9, 11, 13, 15, 16}));
  EXPECT_EQ(matmuls_before(program, Unit::kStore), (std::vector<int>{3, 5, 7, 9, 11, 13, 15, 16}));
}

TEST(LowerMatmulTest, WithAQueueOfOneFetchesFurtherAheadInTheProgram) {
  MachineConfig config = machine();
  config.queue_depth = 1;
  // A matmul of 20 rows retires 27 cycles after its start and blocks two of the four FIFO slots. So
  // the program fetches two tiles ahead, and catches up by two fetches after the first matmul.
  EXPECT_EQ(matmuls_before(lower_matmul(two_chunks(config), config), Unit::kFetch),
            (std::vector<int>{0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
}

TEST(LowerMatmulTest, RectifiersAreVectorOperations) {
  EXPECT_EQ(first_vector(lower({1, 1, 1})).op, VectorOp::kCopy);
  EXPECT_EQ(first_vector(lower({1, 1, 1, false, Activation::kRelu})).op, VectorOp::kRelu);
  const Vector clamp = first_vector(lower({1, 1, 1, false, Activation::kRelu6}));
  EXPECT_EQ(clamp.op, VectorOp::kClamp);
  EXPECT_EQ(clamp.low, 0U);
  EXPECT_EQ(clamp.high, 6U);
}

TEST(LowerMatmulTest, ClampBoundsAreFloatsOnAFloatMachine) {
  MachineConfig config = machine();
  config.dtype = ElementType::kBf16;
  const Vector clamp = first_vector(lower({1, 1, 1, false, Activation::kRelu6}, config));
  EXPECT_EQ(clamp.low, 0U);
  EXPECT_EQ(clamp.high, std::bit_cast<std::uint32_t>(6.0F));
}

TEST(LowerMatmulTest, RefusesMoreInstructionsThanAnyProgramMayHave) {
  const MachineConfig config = machine();
  const TilingPlan plan = plan_matmul({100'000, 100'000, 100'000}, config);
  try {
    lower_matmul(plan, config);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("67108864 are the most that a program may have"),
              std::string::npos)
        << error.what();
  }
}

Matrix int8_matrix(std::uint64_t rows, std::uint64_t cols, const std::vector<int>& values) {
  Matrix matrix(ElementType::kInt8, rows, cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    matrix.bytes()[i] = static_cast<std::byte>(values[i]);
  }
  return matrix;
}

TEST(FoldZeroPointTest, SubtractsZeroPointTimesColumnSums) {
  const Matrix weights = int8_matrix(2, 3, {1, -2, 127, 3, -4, 127});
  const Matrix folded = fold_zero_point(weights, 10, nullptr);
  EXPECT_EQ(folded.rows(), 1U);
  EXPECT_EQ(folded.cols(), 3U);
  EXPECT_EQ(folded.at<std::int32_t>(0, 0), -40);
  EXPECT_EQ(folded.at<std::int32_t>(0, 1), 60);
  EXPECT_EQ(folded.at<std::int32_t>(0, 2), -2540);
}

TEST(FoldZeroPointTest, AddsToTheBiasModulo32Bits) {
  const Matrix weights = int8_matrix(1, 2, {1, -1});
  Matrix bias(ElementType::kInt32, 1, 2);
  bias.set<std::int32_t>(0, 0, std::numeric_limits<std::int32_t>::min());
  bias.set<std::int32_t>(0, 1, 5);
  const Matrix folded = fold_zero_point(weights, 1, &bias);
  EXPECT_EQ(folded.at<std::int32_t>(0, 0), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(folded.at<std::int32_t>(0, 1), 6);
}

TEST(FoldZeroPointTest, RefusesOtherTypesAndAnotherWidth) {
  const Matrix weights = int8_matrix(1, 2, {1, -1});
  const Matrix narrow(ElementType::kInt32, 1, 1);
  const Matrix floats(ElementType::kFloat32, 1, 2);
  EXPECT_THROW(fold_zero_point(floats, 1, nullptr), InputError);
  EXPECT_THROW(fold_zero_point(weights, 1, &narrow), InputError);
  EXPECT_THROW(fold_zero_point(weights, 1, &floats), InputError);
}

}  // namespace
}  // namespace weft
