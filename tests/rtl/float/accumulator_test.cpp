// rtl/accumulator.sv compared with an array of bit patterns and, for floating point, with the
// host's addition.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "Vaccumulator_float.h"
#include "Vaccumulator_int32.h"
#include "Vaccumulator_one.h"

namespace {

constexpr std::uint32_t kDepth = 5;
constexpr std::size_t kCols = 3;
using Row = std::array<std::uint32_t, kCols>;

template <class Model>
class Rtl {
 public:
  /// Writes in one cycle; returns write_data_o before the clock edge.
  Row write(std::uint32_t row, const Row& data, bool accumulate) {
    model_.write_i = 1;
    model_.accumulate_i = accumulate;
    model_.row_i = static_cast<std::uint8_t>(row);
    for (std::size_t c = 0; c < kCols; ++c) model_.data_i[c] = data[c];
    model_.eval();
    const Row stored = to_row(model_.write_data_o);
    clock();
    model_.write_i = 0;
    return stored;
  }

  /// One cycle with the write's inputs still applied but write_i low.
  void idle() { clock(); }

  Row read(std::uint32_t row) {
    model_.read_row_i = static_cast<std::uint8_t>(row);
    model_.eval();
    return to_row(model_.read_data_o);
  }

 private:
  template <class Words>
  static Row to_row(const Words& words) {
    return {words[0], words[1], words[2]};
  }
  void clock() {
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }

  VerilatedContext context_;
  Model model_{&context_};
};

using IntRtl = Rtl<Vaccumulator_int32>;
using FloatRtl = Rtl<Vaccumulator_float>;

std::uint32_t add_int32(std::uint32_t a, std::uint32_t b) {
  return a + b;
}

std::uint32_t add_binary32(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(sum);
}

TEST(AccumulatorRtlTest, StartsWithZeros) {
  FloatRtl rtl;
  for (std::uint32_t row = 0; row < kDepth; ++row) EXPECT_EQ(rtl.read(row), (Row{0, 0, 0}));
}

TEST(AccumulatorRtlTest, WrapsInt32Sums) {
  IntRtl rtl;
  rtl.write(2, {0x7FFFFFFF, 0x80000000, 5}, false);
  rtl.write(2, {1, 0xFFFFFFFF, 0xFFFFFFFA}, true);
  EXPECT_EQ(rtl.read(2), (Row{0x80000000, 0x7FFFFFFF, 0xFFFFFFFF}));
}

TEST(AccumulatorRtlTest, OverwritesWithTheBitsAsTheyAre) {
  FloatRtl rtl;
  const Row data = {0x7F800001, 0x80000000, 0xFFC12345};
  EXPECT_EQ(rtl.write(1, data, false), data);
  EXPECT_EQ(rtl.read(1), data);
}

TEST(AccumulatorRtlTest, CanonicalisesNansWhereItAdds) {
  FloatRtl rtl;
  rtl.write(0, {0x7F800001, 0x7F800000, 0x3F800000}, false);
  rtl.write(0, {0, 0xFF800000, 0xFFC12345}, true);
  EXPECT_EQ(rtl.read(0), (Row{0x7FC00000, 0x7FC00000, 0x7FC00000}));
}

TEST(AccumulatorRtlTest, KeepsMinusZeroOnlyIfBothAre) {
  FloatRtl rtl;
  rtl.write(3, {0x80000000, 0x80000000, 0x3F800000}, false);
  rtl.write(3, {0x80000000, 0x00000000, 0xBF800000}, true);
  EXPECT_EQ(rtl.read(3), (Row{0x80000000, 0x00000000, 0x00000000}));
}

TEST(AccumulatorRtlTest, KeepsRowsWithoutAWrite) {
  IntRtl rtl;
  rtl.write(4, {1, 2, 3}, true);
  rtl.idle();
  EXPECT_EQ(rtl.read(4), (Row{1, 2, 3}));
}

TEST(AccumulatorRtlTest, IsOneRegisterWithOneRow) {
  VerilatedContext context;
  Vaccumulator_one model{&context};
  model.write_i = 1;
  model.accumulate_i = 1;
  model.data_i = 7;
  model.eval();
  for (int cycle = 0; cycle < 3; ++cycle) {
    model.clk_i = 1;
    model.eval();
    model.clk_i = 0;
    model.eval();
  }
  EXPECT_EQ(model.read_data_o, 21U);
}

template <class Model>
std::string message_of_write(std::uint32_t row) {
  try {
    Rtl<Model>().write(row, {}, false);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(AccumulatorRtlTest, FailsAnAssertionForARowThatIsNotThere) {
  EXPECT_EQ(message_of_write<Vaccumulator_int32>(kDepth - 1), "no error");
  const std::string message = message_of_write<Vaccumulator_int32>(kDepth);
  EXPECT_NE(message.find("accumulator.sv:"), std::string::npos) << message;
  EXPECT_NE(message.find("Assertion failed in"), std::string::npos) << message;
}

TEST(AccumulatorRtlTest, FailsAnAssertionForAReadOfARowThatIsNotThere) {
  IntRtl rtl;
  rtl.read(kDepth);
  EXPECT_THROW(rtl.idle(), std::runtime_error);
}

/// Random writes; every row is read after each. One value in three is a special value.
template <class Model>
void compare_random_writes(std::uint64_t seed, std::uint32_t (*add)(std::uint32_t, std::uint32_t)) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr std::array<std::uint32_t, 8> kSpecial = {
      0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0x00000001, 0x7F7FFFFF, 0xFFFFFFFF};
  std::mt19937_64 random(seed);
  std::array<Row, kDepth> expected{};
  Rtl<Model> rtl;
  int sums = 0;
  int overwrites = 0;
  for (int cycle = 0; cycle < 50'000; ++cycle) {
    const auto row = static_cast<std::uint32_t>(random() % kDepth);
    const bool accumulate = random() % 4 != 0;
    Row data;
    for (std::uint32_t& word : data) {
      word = random() % 3 == 0 ? kSpecial[random() % kSpecial.size()]
                               : static_cast<std::uint32_t>(random());
    }
    for (std::size_t c = 0; c < kCols; ++c) {
      expected[row][c] = accumulate ? add(expected[row][c], data[c]) : data[c];
    }
    ASSERT_EQ(rtl.write(row, data, accumulate), expected[row]) << "cycle " << cycle;
    for (std::uint32_t r = 0; r < kDepth; ++r) {
      ASSERT_EQ(rtl.read(r), expected[r]) << "row " << r << " after cycle " << cycle;
    }
    accumulate ? ++sums : ++overwrites;
  }
  EXPECT_GT(sums, 10'000);
  EXPECT_GT(overwrites, 10'000);
}

TEST(AccumulatorRtlTest, EqualsIntegerAdditionInRandomWrites) {
  compare_random_writes<Vaccumulator_int32>(21, add_int32);
}

TEST(AccumulatorRtlTest, EqualsHostAdditionInRandomWrites) {
  compare_random_writes<Vaccumulator_float>(22, add_binary32);
}

}  // namespace
