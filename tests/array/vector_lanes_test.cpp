// Compares VectorLanes bit for bit with a walk over single lanes, on every instruction set of this
// processor, and checks the values that the numerics contract names.
#include "sim/array/vector_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <iostream>
#include <limits>
#include <vector>

#include "tests/array/naive_lanes.h"
#include "tests/array/simd_targets.h"
#include "tests/machine/random_vector.h"

namespace weft {
namespace {

using testing::Random;

template <class Arithmetic>
class VectorLanesTest : public ::testing::Test {};

using Types = ::testing::Types<Int8Arithmetic, Bf16Arithmetic, Fp16Arithmetic>;
TYPED_TEST_SUITE(VectorLanesTest, Types);

/// Draws any bits, often a zero, if `wild`; else a number in [-8, 8), as networks have.
std::uint32_t random_word(Random& random, bool wild) {
  const auto bits = static_cast<std::uint32_t>(random.bits());
  if (wild) return random.chance(20) ? bits & 0x80000000U : bits;
  const auto tame = static_cast<float>(static_cast<std::int32_t>(bits % 4096) - 2048) / 256.0F;
  return std::bit_cast<std::uint32_t>(tame);
}

template <class Arithmetic>
void fill_memories(testing::NaiveLanes<Arithmetic>& naive, Random& random) {
  const bool wild = random.chance(50);
  for (std::size_t i = 0; i + 4 <= naive.buffer.size(); i += 4) {
    const std::uint32_t word = random_word(random, wild);
    std::memcpy(naive.buffer.data() + i, &word, 4);
  }
  const bool small_sums = Arithmetic::kType == ElementType::kInt8 && random.chance(50);
  for (std::uint32_t& sum : naive.sums) {
    sum = random_word(random, wild);
    if constexpr (Arithmetic::kType == ElementType::kInt8) {
      if (small_sums) sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(sum) >> 20);
    } else {
      sum = std::bit_cast<std::uint32_t>(canonical(std::bit_cast<float>(sum)));
    }
  }
}

/// Returns the buffer after one VectorLanes object has run all instructions.
template <class Arithmetic>
std::vector<std::byte> run(const MachineConfig& config, const std::vector<Vector>& code,
                           const testing::NaiveLanes<Arithmetic>& memories) {
  UnifiedBuffer buffer(config);
  std::memcpy(buffer.rows_from(0, buffer.rows()).data(), memories.buffer.data(),
              memories.buffer.size());
  VectorLanes<Arithmetic> lanes(config);
  for (const Vector& vector : code) {
    lanes.begin(vector);
    for (std::uint32_t row = 0; row < vector.rows; ++row) {
      std::vector<typename Arithmetic::Psum> sums(config.array_cols);
      const std::size_t first = std::size_t{vector.acc + row} * config.array_cols;
      if (!vector.source) std::memcpy(sums.data(), &memories.sums[first], sums.size() * 4);
      const auto bytes = lanes.compute(row, vector.source ? nullptr : sums.data(), buffer);
      write_vector_row(vector, row, bytes, config, buffer);
    }
  }
  const auto all = buffer.rows_from(0, buffer.rows());
  return {all.begin(), all.end()};
}

template <class Arithmetic>
void check_case(const MachineConfig& config, Random& random, testing::VectorVariety& variety) {
  testing::RandomVectors vectors(config, random);
  testing::NaiveLanes<Arithmetic> naive(config);
  fill_memories(naive, random);
  std::vector<Vector> code;
  for (int i = 0; i < 3; ++i) {
    code.push_back(vectors.vector());
    variety.add(code.back());
  }
  const auto found = run(config, code, naive);
  for (const Vector& vector : code) naive.execute(vector);
  ASSERT_EQ(found, naive.buffer);
}

TYPED_TEST(VectorLanesTest, EqualsAWalkOverSingleLanes) {
  constexpr std::uint64_t kCases = 5000;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  testing::VectorVariety variety;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::small_vector_machine(TypeParam::kType, random);
    ASSERT_NO_FATAL_FAILURE(check_case<TypeParam>(config, random, variety));
  }
  EXPECT_EQ(variety.hits().size(), testing::VectorVariety::kAllKinds);
  for (const auto& [name, count] : variety.hits()) EXPECT_GT(count, 60) << name;
}

TYPED_TEST(VectorLanesTest, EveryInstructionSetGivesTheSameBitsOnLongRows) {
  test::on_every_target([] {
    testing::VectorVariety variety;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      Random random(seed);
      MachineConfig config = testing::small_vector_machine(TypeParam::kType, random);
      config.array_rows = random.between(20, 70);
      config.array_cols = random.between(20, 70);
      config.unified_buffer_kib = 32;
      ASSERT_NO_FATAL_FAILURE(check_case<TypeParam>(config, random, variety));
    }
    EXPECT_EQ(variety.hits().size(), testing::VectorVariety::kAllKinds);
  });
}

// --- values that the contract names ---

/// Runs an instruction in the float domain on a bf16 machine, from wide (binary32) rows to a wide
/// row. The first row is the source, the second the other operand.
std::vector<float> float_lanes(Vector vector, const std::vector<std::vector<float>>& rows) {
  MachineConfig config;
  config.dtype = ElementType::kBf16;
  config.array_cols = static_cast<std::uint32_t>(rows.front().size());
  UnifiedBuffer buffer(config);
  const std::uint32_t width = config.result_row_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(buffer.rows_from(i * width, width).data(), rows[i].data(), rows[i].size() * 4);
  }
  vector.domain = VectorDomain::kFloat;
  vector.source = VectorSource{{}, RowFormat::kWide, {}, {}};
  if (rows.size() > 1) vector.operand = VectorOperand{width, 0, RowFormat::kWide, {}, {}};
  VectorLanes<Bf16Arithmetic> lanes(config);
  lanes.begin(vector);
  const auto bytes = lanes.compute(0, nullptr, buffer);
  std::vector<float> out(config.array_cols);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::vector<std::uint32_t> patterns(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kAnyNan = std::bit_cast<float>(0xFFC12345U);

TEST(VectorLanesValuesTest, TheMaximumOfTwoZerosIsPlusZeroWhicheverComesFirst) {
  const auto max = float_lanes({.combine = VectorCombine::kMax}, {{0.0F, -0.0F, -0.0F},  //
                                                                  {-0.0F, 0.0F, -0.0F}});
  EXPECT_EQ(patterns(max), patterns({0.0F, 0.0F, -0.0F}));
  const auto min = float_lanes({.combine = VectorCombine::kMin}, {{0.0F, -0.0F, 0.0F},  //
                                                                  {-0.0F, 0.0F, 0.0F}});
  EXPECT_EQ(patterns(min), patterns({-0.0F, -0.0F, 0.0F}));
}

TEST(VectorLanesValuesTest, AMaximumWithNanIsTheCanonicalNan) {
  const auto max = float_lanes({.combine = VectorCombine::kMax}, {{kAnyNan, 1, kInfinity},  //
                                                                  {1, kAnyNan, kAnyNan}});
  EXPECT_EQ(patterns(max), std::vector<std::uint32_t>(3, 0x7FC00000U));
}

TEST(VectorLanesValuesTest, CopiesAndComparisonsMakeNanCanonicalToo) {
  for (const VectorOp op : {VectorOp::kCopy, VectorOp::kRelu, VectorOp::kNeg, VectorOp::kAbs}) {
    EXPECT_EQ(patterns(float_lanes({.op = op}, {{kAnyNan}})).front(), 0x7FC00000U);
  }
}

// 2^24 + 1 is a tie that rounds to the even 2^24, so a sum from left to right would lose every 1.
TEST(VectorLanesValuesTest, ASumIsATreeOfNeighbors) {
  const auto sum = float_lanes({.reduce = VectorReduce::kSum}, {{0x1p24F, 1, 1, 1, 1}});
  EXPECT_EQ(sum, std::vector<float>(5, (0x1p24F + 2.0F) + 1.0F));
  const auto odd = float_lanes({.reduce = VectorReduce::kSum}, {{1, 1, 0x1p24F}});
  EXPECT_EQ(odd, std::vector<float>(3, 2.0F + 0x1p24F));
}

TEST(VectorLanesValuesTest, FunctionsHaveTheirLimits) {
  const std::vector<float> x = {-kInfinity, -200.0F, -0.0F, 200.0F, kInfinity};
  const auto of = [&](VectorOp op) { return patterns(float_lanes({.op = op}, {x})); };
  EXPECT_EQ(of(VectorOp::kSigmoid), patterns({0, 0, 0.5F, 1, 1}));
  EXPECT_EQ(of(VectorOp::kSoftplus), patterns({0, 0, 0.693147181F, 200, kInfinity}));
  EXPECT_EQ(of(VectorOp::kTanh), patterns({-1, -1, -0.0F, 1, 1}));
  EXPECT_EQ(of(VectorOp::kErf), patterns({-1, -1, -0.0F, 1, 1}));
  EXPECT_EQ(of(VectorOp::kExp), patterns({0, 0, 1, kInfinity, kInfinity}));
  EXPECT_EQ(of(VectorOp::kHardSwish)[3], patterns({200})[0]);
  EXPECT_EQ(of(VectorOp::kReciprocal), patterns({-0.0F, -0.005F, -kInfinity, 0.005F, 0}));
  EXPECT_EQ(of(VectorOp::kRelu), patterns({0, 0, 0, 200, kInfinity}));
}

/// Returns one row of int32 sums, quantized by `quantization`.
std::vector<int> quantized(const std::vector<std::int32_t>& sums, Quantization quantization) {
  MachineConfig config;
  config.array_cols = static_cast<std::uint32_t>(sums.size());
  Vector vector;
  vector.domain = VectorDomain::kFloat;
  vector.format = RowFormat::kNarrow;
  vector.window.plane = 1;
  vector.quantization = quantization;
  VectorLanes<Int8Arithmetic> lanes(config);
  lanes.begin(vector);
  std::vector<int> out;
  for (const std::byte byte : lanes.compute(0, sums.data(), UnifiedBuffer(config))) {
    out.push_back(static_cast<std::int8_t>(byte));
  }
  return out;
}

TEST(VectorLanesValuesTest, QuantizationRoundsTiesToEvenAndSaturates) {
  const Quantization halves{std::bit_cast<std::uint32_t>(2.0F), 0};
  EXPECT_EQ(quantized({1, 3, 5, -1, -3, 253, 254, 255, 1 << 30, -(1 << 30)}, halves),
            (std::vector<int>{0, 2, 2, 0, -2, 126, 127, 127, 127, -128}));
}

TEST(VectorLanesValuesTest, TheZeroPointIsAddedAfterTheRounding) {
  const Quantization shifted{std::bit_cast<std::uint32_t>(2.0F), 3};
  EXPECT_EQ(quantized({1, 3, -1, -300, 249}, shifted), (std::vector<int>{3, 5, 3, -128, 127}));
}

}  // namespace
}  // namespace weft
