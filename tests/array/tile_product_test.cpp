// Products of tiles against the oracle of tile_problem.h, with tolerance 0.
#include "sim/array/tile_product.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "sim/array/kernels/tile_kernel.h"
#include "tests/array/tile_problem.h"

namespace weft {
namespace {

template <class Arithmetic>
class TileProductTest : public testing::Test {};
using Arithmetics = testing::Types<Int8Arithmetic, Bf16Arithmetic, Fp16Arithmetic>;
TYPED_TEST_SUITE(TileProductTest, Arithmetics);

TYPED_TEST(TileProductTest, MatchesTheOracleAroundEveryTileEdge) {
  // The columns lie around the vector widths and the panel of 32, the rows around the 2 and 4 that
  // share a word, and M around the register blocks of 6 and 12. Each value catches a tail that is
  // handled as if it were full.
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (const std::uint32_t cols :
       {1U, 2U, 3U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 49U, 65U}) {
    for (const std::uint32_t rows : {1U, 2U, 3U, 4U, 5U, 13U}) {
      const auto m = static_cast<std::uint32_t>(random() % 26);
      expect_exact(random_problem<TypeParam>(random, m, rows, cols, Values::kOrdinary));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(TileProductTest, MatchesTheOracleForEveryNumberOfRowsInABlock) {
  constexpr std::uint64_t kSeed = 12;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (std::uint32_t m = 0; m <= 27; ++m) {
    expect_exact(random_problem<TypeParam>(random, m, 19, 37, Values::kOrdinary));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(TileProductTest, MatchesTheOracleWhereTheChainIsCutIntoBlocks) {
  // The kernels store partial sums after every 256 words, that is after 256, 512 or 1024 rows.
  constexpr std::uint64_t kSeed = 13;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (const std::uint32_t rows :
       {255U, 256U, 257U, 511U, 512U, 513U, 1023U, 1024U, 1025U, 2053U}) {
    expect_exact(random_problem<TypeParam>(random, 13, rows, 35, Values::kOrdinary));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(TileProductTest, MatchesTheOracleOnSpecialValues) {
  constexpr std::uint64_t kSeed = 14;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (const Values values : {Values::kSpecial, Values::kAnyBits}) {
    for (const std::uint32_t rows : {1U, 2U, 3U, 4U, 8U, 31U, 300U}) {
      expect_exact(random_problem<TypeParam>(random, 25, rows, 47, values));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(TileProductTest, MatchesTheOracleOnRandomShapes) {
  const std::uint64_t seed = 15;
  SCOPED_TRACE(seed);
  Random random(seed);
  int matrix_vector = 0;
  int deep = 0;
  int wide = 0;
  for (int i = 0; i < 30; ++i) {
    const auto m = static_cast<std::uint32_t>(random() % 3 == 0 ? 1 : random() % 40);
    const auto rows = static_cast<std::uint32_t>(1 + random() % 150);
    const auto cols = static_cast<std::uint32_t>(1 + random() % 150);
    matrix_vector += m == 1;
    deep += rows > 2 * cols;
    wide += cols > 2 * rows;
    const auto values = static_cast<Values>(random() % 3);
    expect_exact(random_problem<TypeParam>(random, m, rows, cols, values));
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(matrix_vector, 3);
  EXPECT_GT(deep, 3);
  EXPECT_GT(wide, 3);
}

/// Activations that meet rows of zero weights.
enum class Behind { kZeros, kPositive, kNegative, kMixed, kSpecial };

/// A problem whose tile ends in zero rows and columns.
struct Edge {
  std::uint32_t live_rows;
  std::uint32_t live_cols;
  Behind behind;
};

template <class Element>
Element behind_element(Random& random, Behind behind, Element ordinary) {
  if (behind == Behind::kZeros) return Element{};
  if constexpr (!std::is_same_v<Element, std::int8_t>) {
    constexpr std::array<std::uint16_t, 5> kSpecial = {0x7C00, 0xFC00, 0x7F80, 0xFF80, 0x7FFF};
    if (behind == Behind::kPositive) ordinary.bits &= 0x7FFFU;
    if (behind == Behind::kNegative) ordinary.bits |= 0x8000U;
    if (behind == Behind::kSpecial && random() % 8 == 0) ordinary.bits = kSpecial[random() % 5];
  }
  return ordinary;
}

/// Draws elements whose products underflow, so that sums become -0. Only bf16 has such products.
template <class Element>
Element tiny_element(Random& random) {
  constexpr std::array<std::uint16_t, 6> kTiny = {0x0000, 0x8000, 0x0001, 0x8001, 0x0080, 0x8080};
  if constexpr (std::is_same_v<Element, std::int8_t>) {
    return static_cast<std::int8_t>(static_cast<int>(random() % 3) - 1);
  } else {
    return Element{kTiny[random() % 6]};
  }
}

template <class Arithmetic>
void cut(Problem<Arithmetic>& p, const Edge& edge, bool tiny, Random& random) {
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;
  for (std::size_t r = 0; r < p.rows; ++r) {
    for (std::size_t c = 0; c < p.cols; ++c) {
      Element& weight = p.tile[r * p.cols + c];
      if (tiny) weight = tiny_element<Element>(random);
      if (r >= edge.live_rows || c >= edge.live_cols) weight = Element{};
    }
    for (std::size_t i = 0; i < p.m; ++i) {
      Element& act = p.acts[i * p.rows + r];
      if (tiny) act = tiny_element<Element>(random);
      if (r >= edge.live_rows) act = behind_element(random, edge.behind, act);
    }
  }
  if constexpr (std::is_same_v<Psum, float>) {
    for (Psum& acc : p.acc) acc = random() % 3 == 0 ? -0.0F : acc;
  }
}

TYPED_TEST(TileProductTest, MatchesTheOracleOnTilesThatEndInZeros) {
  constexpr std::uint64_t kSeed = 20;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  int minus_zeros = 0;
  for (int i = 0; i < 250; ++i) {
    SCOPED_TRACE(i);
    const auto rows = static_cast<std::uint32_t>(1 + random() % (i % 10 == 0 ? 600 : 40));
    const auto cols = static_cast<std::uint32_t>(1 + random() % 100);
    const auto m = static_cast<std::uint32_t>(1 + random() % 15);
    const Edge edge{static_cast<std::uint32_t>(random() % (rows + 1)),
                    static_cast<std::uint32_t>(random() % (cols + 1)),
                    static_cast<Behind>(random() % 5)};
    const auto values = static_cast<Values>(random() % 3);
    auto p = random_problem<TypeParam>(random, m, rows, cols, values);
    cut(p, edge, random() % 2 == 0, random);
    expect_exact(p);
    if (this->HasFatalFailure()) return;
    if constexpr (std::is_same_v<typename TypeParam::Psum, float>) {
      for (const float sum : oracle(p, false)) minus_zeros += sum == 0 && std::signbit(sum) ? 1 : 0;
    }
  }
  if constexpr (TypeParam::kType == ElementType::kBf16) {
    EXPECT_GT(minus_zeros, 100);
  }
}

TYPED_TEST(TileProductTest, ATileOfZerosLeavesNothingOfTheOneBeforeIt) {
  constexpr std::uint64_t kSeed = 21;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const auto full = random_problem<TypeParam>(random, 9, 30, 70, Values::kSpecial);
  for (const std::uint32_t live : {0U, 1U, 29U}) {
    auto p = random_problem<TypeParam>(random, 9, 30, 70, Values::kOrdinary);
    cut(p, {live, 3 * live, Behind::kMixed}, false, random);
    TileProduct<TypeParam> kernel(30, 70, 1);
    kernel.load_tile(full.tile);
    kernel.load_tile(p.tile);
    const auto act_rows = rows_of(p);
    auto acc = p.acc;
    kernel.multiply(act_rows, acc, true);
    expect_same_bits(acc, oracle(p, true), p.cols);
  }
}

TYPED_TEST(TileProductTest, GivesTheSameBitsForAnyNumberOfThreads) {
  constexpr std::uint64_t kSeed = 16;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  // 150 x 100 x 90 exceeds the million products from which threads are used. 150 rows are not a
  // multiple of any block.
  const auto p = random_problem<TypeParam>(random, 150, 100, 90, Values::kSpecial);
  const auto expected = oracle(p, true);
  for (unsigned threads = 0; threads <= 5; ++threads) {
    SCOPED_TRACE(threads);
    expect_same_bits(product(p, true, threads), expected, p.cols);
  }
}

TYPED_TEST(TileProductTest, MoreThreadsThanRowBlocksAreHarmless) {
  constexpr std::uint64_t kSeed = 17;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const auto p = random_problem<TypeParam>(random, 13, 600, 150, Values::kOrdinary);
  expect_same_bits(product(p, false, 8), oracle(p, false), p.cols);
}

TYPED_TEST(TileProductTest, RowsMayRepeatAndLieAnywhere) {
  constexpr std::uint64_t kSeed = 18;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  auto p = random_problem<TypeParam>(random, 6, 21, 10, Values::kOrdinary);
  const auto expected = oracle(p, false);
  TileProduct<TypeParam> kernel(p.rows, p.cols, 1);
  kernel.load_tile(p.tile);
  const std::array<std::size_t, 8> order = {5, 0, 0, 3, 2, 5, 1, 4};
  std::vector<const typename TypeParam::Element*> act_rows;
  for (const std::size_t row : order) act_rows.push_back(p.acts.data() + row * p.rows);
  std::vector<typename TypeParam::Psum> acc(order.size() * p.cols);
  kernel.multiply(act_rows, acc, false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t c = 0; c < p.cols; ++c) {
      ASSERT_EQ(acc[i * p.cols + c], expected[order[i] * p.cols + c]);
    }
  }
}

TYPED_TEST(TileProductTest, ATileReplacesTheOneBeforeIt) {
  constexpr std::uint64_t kSeed = 19;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const auto first = random_problem<TypeParam>(random, 9, 23, 41, Values::kSpecial);
  auto second = random_problem<TypeParam>(random, 9, 23, 41, Values::kOrdinary);
  TileProduct<TypeParam> kernel(23, 41, 1);
  for (const auto* p : {&first, &std::as_const(second)}) {
    kernel.load_tile(p->tile);
    const auto act_rows = rows_of(*p);
    auto acc = p->acc;
    kernel.multiply(act_rows, acc, true);
    expect_same_bits(acc, oracle(*p, true), p->cols);
  }
}

TYPED_TEST(TileProductTest, LeavesTheAccumulatorsBehindTheLastRowAlone) {
  TileProduct<TypeParam> kernel(4, 5, 1);
  const std::vector<typename TypeParam::Element> zeros(20);
  kernel.load_tile(zeros);
  const std::array<const typename TypeParam::Element*, 2> act_rows = {zeros.data(), zeros.data()};
  std::vector<typename TypeParam::Psum> acc(20, typename TypeParam::Psum{42});
  kernel.multiply(act_rows, acc, false);
  for (std::size_t i = 0; i < acc.size(); ++i) {
    EXPECT_EQ(static_cast<int>(acc[i]), i < 10 ? 0 : 42);
  }
}

TYPED_TEST(TileProductTest, RejectsWrongSizes) {
  using Element = typename TypeParam::Element;
  EXPECT_THROW(TileProduct<TypeParam>(0, 4, 1), InputError);
  EXPECT_THROW(TileProduct<TypeParam>(4, 0, 1), InputError);
  EXPECT_THROW(TileProduct<TypeParam>(4, 0xFFFFFFFF, 1), InputError);
  TileProduct<TypeParam> kernel(4, 5, 1);
  EXPECT_THROW(kernel.load_tile(std::vector<Element>(19)), InputError);
  const std::vector<Element> row(4);
  const std::array<const Element*, 2> act_rows = {row.data(), row.data()};
  std::vector<typename TypeParam::Psum> acc(9);
  EXPECT_THROW(kernel.multiply(act_rows, acc, false), InputError);
}

TEST(TileProductTargetsTest, EveryInstructionSetOfThisProcessorIsCompiledIn) {
  // HWY_WANT_AVX3_DL is set for this file as for the kernels. Without it the list would lack the
  // processor's best instruction set, and its kernels would go untested.
  const auto targets = hwy::SupportedAndGeneratedTargets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), hwy::SupportedTargets() & -hwy::SupportedTargets());
}

TEST(TileProductTargetsTest, TheInt8KernelTakesFourRowsAWordWhereThereIsAnInstructionForIt) {
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) == 0) GTEST_SKIP() << "no AVX-512 VNNI here";
  EXPECT_EQ(best_tile_kernel<Int8Arithmetic>().elements_per_word, 4U);
}

}  // namespace
}  // namespace weft
