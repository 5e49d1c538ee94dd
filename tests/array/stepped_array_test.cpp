// Checks that SteppedArray equals the naive array in every register and every cycle, and that the
// cycles of the timing contract hold (formulas are next to the assertions).
#include "sim/array/stepped_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/array/kernels/grid_kernel.h"
#include "tests/array/naive_array.h"
#include "tests/array/simd_targets.h"

namespace weft {
namespace {

using Random = std::mt19937_64;

struct Counts {
  int pushes = 0;
  int swaps = 0;
  int both = 0;
  int results = 0;
};

void fill(Random& random, std::vector<std::int8_t>& row) {
  for (auto& value : row) value = static_cast<std::int8_t>(random());
}

void fill(Random& random, std::vector<float>& row) {
  // One value in 512 has any bf16 pattern, so that infinities, NaNs and subnormals run through the
  // array too. The others are small numbers; otherwise almost every sum would soon be NaN.
  for (auto& value : row) {
    const auto bits = static_cast<std::uint16_t>(random());
    value = random() % 512 == 0 ? to_float(Bf16{bits})
                                : static_cast<float>(static_cast<std::int8_t>(bits)) / 16;
  }
}

std::uint32_t raw(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t raw(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// Compares bit for bit, because == would call equal NaN operands different.
template <class Arithmetic>
bool same(const PeRegisters<Arithmetic>& a, const PeRegisters<Arithmetic>& b) {
  return raw(a.act) == raw(b.act) && raw(a.weight_active) == raw(b.weight_active) &&
         raw(a.weight_shadow) == raw(b.weight_shadow) && raw(a.weight_out) == raw(b.weight_out) &&
         raw(a.psum) == raw(b.psum) && a.push == b.push && a.swap == b.swap;
}

template <class Arithmetic>
void expect_same_registers(const SteppedArray<Arithmetic>& array,
                           const test::NaiveArray<Arithmetic>& naive, std::uint32_t rows,
                           std::uint32_t cols) {
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < cols; ++c) {
      ASSERT_TRUE(same(array.registers(r, c), naive.pe(r, c))) << "PE(" << r << "," << c << ")";
    }
  }
}

template <class Psum>
void expect_same_result(std::span<const Psum> actual,
                        const std::optional<std::vector<Psum>>& expected) {
  ASSERT_EQ(actual.size(), expected ? expected->size() : 0);
  for (std::size_t c = 0; c < actual.size(); ++c) {
    ASSERT_EQ(raw(actual[c]), raw((*expected)[c])) << "column " << c;
  }
}

/// Runs random activity: rows, pushes and swaps arrive in bursts of random density and in any
/// combination, including combinations that no program produces.
template <class Arithmetic>
void run_lockstep(std::uint32_t rows, std::uint32_t cols, int cycles, Random& random,
                  Counts& counts) {
  SCOPED_TRACE(testing::Message() << to_string(Arithmetic::kType) << " " << rows << " x " << cols);
  SteppedArray<Arithmetic> array(rows, cols);
  test::NaiveArray<Arithmetic> naive(rows, cols);
  std::vector<typename Arithmetic::Operand> acts(rows);
  std::vector<typename Arithmetic::Operand> weights(cols);
  std::uint64_t act_percent = 100;
  std::uint64_t push_percent = 100;
  std::uint64_t swap_percent = 0;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE(testing::Message() << "cycle " << cycle);
    if (random() % 16 == 0) act_percent = random() % 4 * 33;
    if (random() % 16 == 0) push_percent = random() % 4 * 33;
    if (random() % 16 == 0) swap_percent = random() % 4 * 25;
    fill(random, acts);
    fill(random, weights);
    const auto* act_row = random() % 100 < act_percent ? acts.data() : nullptr;
    const auto* weight_row = random() % 100 < push_percent ? weights.data() : nullptr;
    const bool swap = random() % 100 < swap_percent;
    const auto actual = array.step({.act_row = act_row, .weight_row = weight_row, .swap = swap});
    const auto expected = naive.step(act_row, weight_row, swap);
    counts.pushes += weight_row != nullptr;
    counts.swaps += swap;
    counts.both += swap && weight_row != nullptr;
    counts.results += expected.has_value();
    ASSERT_NO_FATAL_FAILURE(expect_same_result(actual, expected));
    ASSERT_NO_FATAL_FAILURE(expect_same_registers(array, naive, rows, cols));
  }
}

template <class Arithmetic>
class SteppedArrayTest : public testing::Test {};
using Arithmetics = testing::Types<Int8Arithmetic, Bf16Arithmetic, Fp16Arithmetic>;
TYPED_TEST_SUITE(SteppedArrayTest, Arithmetics);

TYPED_TEST(SteppedArrayTest, EveryRegisterEqualsTheNaiveGridInEveryCycle) {
  constexpr std::uint64_t kSeed = 31;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  Counts counts;
  for (const auto& [rows, cols] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 1}, {1, 33}, {33, 1}, {2, 2}, {3, 17}, {16, 16}, {17, 5}, {33, 33}}) {
    run_lockstep<TypeParam>(rows, cols, 160, random, counts);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(counts.pushes, 200);
  EXPECT_GT(counts.swaps, 200);
  EXPECT_GT(counts.both, 50);
  EXPECT_GT(counts.results, 200);
}

TYPED_TEST(SteppedArrayTest, EqualsTheNaiveGridForRandomShapesOnEveryInstructionSet) {
  constexpr std::uint64_t kSeed = 32;
  test::on_every_target([&] {
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    Counts counts;
    for (int i = 0; i < 25; ++i) {
      const auto rows = static_cast<std::uint32_t>(1 + random() % 33);
      const auto cols = static_cast<std::uint32_t>(1 + random() % 33);
      run_lockstep<TypeParam>(rows, cols, 80, random, counts);
      if (this->HasFatalFailure()) return;
    }
    EXPECT_GT(counts.both, 20);
  });
}

TYPED_TEST(SteppedArrayTest, EqualsTheNaiveGridBeyondTheWidestVector) {
  constexpr std::uint64_t kSeed = 33;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  Counts counts;
  run_lockstep<TypeParam>(3, 65, 250, random, counts);
  run_lockstep<TypeParam>(5, 130, 150, random, counts);
  EXPECT_GT(counts.both, 5);
}

TYPED_TEST(SteppedArrayTest, CarriesItsStateWhenMoved) {
  std::vector<typename TypeParam::Operand> weights(3, typename TypeParam::Operand{2});
  SteppedArray<TypeParam> first(1, 3);
  first.step({.weight_row = weights.data()});
  SteppedArray<TypeParam> second(std::move(first));
  EXPECT_EQ(static_cast<int>(second.registers(0, 0).weight_shadow), 2);
  first = std::move(second);
  EXPECT_EQ(static_cast<int>(first.registers(0, 0).weight_shadow), 2);
}

TYPED_TEST(SteppedArrayTest, RejectsAnEmptyOrAbsurdArray) {
  EXPECT_THROW(SteppedArray<TypeParam>(0, 1), InputError);
  EXPECT_THROW(SteppedArray<TypeParam>(1, 0), InputError);
  EXPECT_THROW(SteppedArray<TypeParam>(0xFFFFFFFF, 1), InputError);
}

/// Streams M rows of ones through a tile of ones. The tile is pushed from cycle W on, and the
/// first row enters in cycle A. Returns the cycles in which a visible result was R everywhere.
std::vector<int> cycles_of_right_results(std::uint32_t rows, std::uint32_t cols, int m, int w,
                                         int a) {
  SteppedArray<Int8Arithmetic> array(rows, cols);
  const std::vector<std::int8_t> ones(std::max(rows, cols), 1);
  const int r = static_cast<int>(rows);
  std::vector<int> right;
  for (int t = 0; t < a + m + r + static_cast<int>(cols) + 2; ++t) {
    const bool push = t >= w && t < w + r;
    const bool row = t >= a && t < a + m;
    const auto result = array.step({.act_row = row ? ones.data() : nullptr,
                                    .weight_row = push ? ones.data() : nullptr,
                                    .swap = t == a});
    const bool is_right =
        !result.empty() && std::ranges::all_of(result, [&](auto v) { return v == r; });
    if (is_right) right.push_back(t);
  }
  return right;
}

TEST(SteppedArrayTimingTest, RowMIsVisibleInCycleAPlusMPlusRPlusCMinusOne) {
  for (const auto& [rows, cols] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 1}, {4, 4}, {3, 7}, {9, 2}, {32, 32}}) {
    const int r = static_cast<int>(rows);
    const int c = static_cast<int>(cols);
    const int w = 2;
    const int a = w + r;  // A >= W + R, the earliest cycle allowed
    std::vector<int> expected;
    for (int m = 0; m < 5; ++m) expected.push_back(a + m + r + c - 1);
    EXPECT_EQ(cycles_of_right_results(rows, cols, 5, w, a), expected) << rows << " x " << cols;
  }
}

TEST(SteppedArrayTimingTest, ASwapOneCycleBeforeTheTileIsCompleteGivesWrongResults) {
  // The bound A >= W + R is tight: one cycle earlier, the last weight row is not in place.
  EXPECT_TRUE(cycles_of_right_results(4, 4, 5, 2, 2 + 4 - 1).empty());
}

TEST(GridKernelTest, IsTheKernelItselfEvenBeforeHighwayHasChosenATarget) {
  // Before its first choice, Highway returns a function that asks the processor on every call.
  hwy::GetChosenTarget().DeInit();
  const auto first = best_grid_kernel<std::int8_t, std::int32_t>();
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_EQ(first, (best_grid_kernel<std::int8_t, std::int32_t>()));
}

}  // namespace
}  // namespace weft
