// The lane machine against a walk over single lanes, bit for bit, on every instruction set that the
// processor has; and the values that the numerics contract names.
#include "sim/array/vector_lanes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
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

/// Any bits, or numbers of the size that networks have; of both some in every memory.
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

/// The buffer after instructions that all go through one lane machine.
template <class Arithmetic>
std::vector<std::byte> run(const MachineConfig& config, const std::vector<Vector>& code,
                           const testing::NaiveLanes<Arithmetic>& memories) {
  UnifiedBuffer buffer(config);
  std::memcpy(buffer.row(0).data(), memories.buffer.data(), memories.buffer.size());
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

}  // namespace
}  // namespace weft
