// The machine's buffers must keep their contents, in order, and accept nothing beyond their size.
#include <gtest/gtest.h>

#include <algorithm>

#include "pe/arithmetic.h"
#include "sim/memory/accumulators.h"
#include "sim/memory/unified_buffer.h"

namespace weft {
namespace {

MachineConfig config_of(std::uint32_t rows, std::uint32_t cols, ElementType dtype) {
  MachineConfig config;
  config.array_rows = rows;
  config.array_cols = cols;
  config.dtype = dtype;
  config.accumulator_rows = 5;
  return config;
}

TEST(UnifiedBufferTest, HasTheConfiguredRows) {
  UnifiedBuffer buffer(config_of(3, 4, ElementType::kBf16));  // 4096 bytes in rows of 6
  EXPECT_EQ(buffer.rows(), 682U);
  EXPECT_EQ(buffer.row(681).size(), 6U);
  EXPECT_THROW(buffer.row(682), SimulationError);
}

TEST(UnifiedBufferTest, RowsLieOneAfterTheOther) {
  UnifiedBuffer buffer(config_of(4, 4, ElementType::kInt8));
  std::ranges::fill(buffer.row(7), std::byte{7});
  std::ranges::fill(buffer.row(8), std::byte{8});
  const std::span<const std::byte> rows = std::as_const(buffer).rows_from(6, 3);
  ASSERT_EQ(rows.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(rows[i], i < 4 ? std::byte{0} : i < 8 ? std::byte{7} : std::byte{8});
  }
}

TEST(UnifiedBufferTest, RefusesRowsBeyondItsEnd) {
  UnifiedBuffer buffer(config_of(4, 4, ElementType::kInt8));
  EXPECT_NO_THROW(buffer.rows_from(1020, 4));
  EXPECT_THROW(buffer.rows_from(1020, 5), SimulationError);
  EXPECT_THROW(buffer.rows_from(UINT64_MAX, 2), SimulationError);
}

TEST(AccumulatorsTest, HoldSumsOfTheArraysType) {
  Accumulators<Int8Arithmetic> integers(config_of(4, 7, ElementType::kInt8));
  EXPECT_EQ(integers.rows(), 5U);
  EXPECT_EQ(integers.row(4).size(), 7U);
  EXPECT_EQ(integers.row(4)[6], 0);
  EXPECT_THROW(integers.row(5), SimulationError);
  Accumulators<Bf16Arithmetic> floats(config_of(4, 7, ElementType::kBf16));
  floats.row(0)[0] = 0.5F;
  EXPECT_EQ(floats.row(0)[0], 0.5F);
}

TEST(RowBufferTest, RefusesSizesThatOverflow) {
  EXPECT_THROW(RowBuffer<int>("test", UINT64_MAX, 2), ConfigError);
  EXPECT_THROW(RowBuffer<int>("test", UINT64_MAX / 4, 1), ConfigError);
}

}  // namespace
}  // namespace weft
