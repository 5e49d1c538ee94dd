// Which channel carries a transfer, and how many bytes it has.
#include "sim/timing/transfers.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ChannelOfTest, FollowsTheKindOfMemory) {
  for (const Unit unit : {Unit::kLoad, Unit::kFetch, Unit::kStore}) {
    EXPECT_EQ(channel_of(unit, MemoryKind::kIdeal), std::nullopt);
    EXPECT_EQ(channel_of(unit, MemoryKind::kShared), Channel::kMemory);
  }
  EXPECT_EQ(channel_of(Unit::kLoad, MemoryKind::kSplit), Channel::kHost);
  EXPECT_EQ(channel_of(Unit::kFetch, MemoryKind::kSplit), Channel::kMemory);
  EXPECT_EQ(channel_of(Unit::kStore, MemoryKind::kSplit), Channel::kHost);
}

TEST(ChannelOfTest, EachChannelHasItsOwnRateAndLatency) {
  MachineConfig config;
  config.memory_bytes_per_s = 11;
  config.memory_latency_cycles = 12;
  config.host_bytes_per_s = 21;
  config.host_latency_cycles = 22;
  EXPECT_EQ(bytes_per_second(Channel::kMemory, config), 11U);
  EXPECT_EQ(latency_cycles(Channel::kMemory, config), 12);
  EXPECT_EQ(bytes_per_second(Channel::kHost, config), 21U);
  EXPECT_EQ(latency_cycles(Channel::kHost, config), 22);
}

TEST(TransferBytesTest, CountsWholeRowsAndTiles) {
  MachineConfig config;
  config.array_rows = 5;
  config.array_cols = 3;
  config.dtype = ElementType::kBf16;  // a row of 5 elements has 10 bytes, a tile of 5 x 3 has 30
  EXPECT_EQ(transfer_bytes(Load{0, 0, 7}, config), 70U);
  EXPECT_EQ(transfer_bytes(Store{0, 0, 9}, config), 90U);
  EXPECT_EQ(transfer_bytes(Fetch{4}, config), 30U);
  EXPECT_EQ(transfer_bytes(Matmul{}, config), 0U);
  EXPECT_EQ(transfer_bytes(Vector{}, config), 0U);
  EXPECT_EQ(transfer_bytes(Load{0, 0, 4'294'967'295}, config), 42'949'672'950U);
}

TEST(BufferReadCyclesTest, AreOneForEachRowOfEachPlaneAndMoveNoBytes) {
  MachineConfig config;
  config.array_rows = 5;
  const BufferTile plain{.row = 0, .rows = 3, .lanes = 4};
  const BufferTile planes{.row = 0, .rows = 3, .lanes = 4, .window = {2, 9}};  // two planes
  EXPECT_EQ(buffer_read_cycles(Fetch{0, plain}, config), 3);
  EXPECT_EQ(buffer_read_cycles(Fetch{0, planes}, config), 6);
  EXPECT_EQ(transfer_bytes(Fetch{0, planes}, config), 0U);
  EXPECT_EQ(buffer_read_cycles(Fetch{7}, config), 0);
  EXPECT_EQ(buffer_read_cycles(Load{0, 0, 7}, config), 0);
}

TEST(IsTransferTest, HoldsForTheUnitsThatReachOutsideTheChip) {
  EXPECT_TRUE(is_transfer(Unit::kLoad));
  EXPECT_TRUE(is_transfer(Unit::kFetch));
  EXPECT_FALSE(is_transfer(Unit::kMatmul));
  EXPECT_FALSE(is_transfer(Unit::kVector));
  EXPECT_TRUE(is_transfer(Unit::kStore));
}

}  // namespace
}  // namespace weft
