// Which channel carries a transfer, and which bytes it moves.
#include "sim/timing/transfers.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ChannelOfTest, FollowsTheKindOfMemory) {
  for (const Opcode opcode : {Opcode::kLoad, Opcode::kFetch, Opcode::kStore}) {
    EXPECT_EQ(channel_of(opcode, MemoryKind::kIdeal), std::nullopt);
    EXPECT_EQ(channel_of(opcode, MemoryKind::kShared), Channel::kMemory);
  }
  EXPECT_EQ(channel_of(Opcode::kLoad, MemoryKind::kSplit), Channel::kHost);
  EXPECT_EQ(channel_of(Opcode::kFetch, MemoryKind::kSplit), Channel::kMemory);
  EXPECT_EQ(channel_of(Opcode::kStore, MemoryKind::kSplit), Channel::kHost);
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

TEST(TransferRequestTest, NamesWholeRowsAndTiles) {
  MachineConfig config;
  config.array_rows = 5;
  config.array_cols = 3;
  config.dtype = ElementType::kBf16;  // a row of 5 elements has 10 bytes, a tile of 5 x 3 has 30
  config.memory_kind = MemoryKind::kSplit;
  constexpr auto kHost = Channel::kHost;
  constexpr auto kRead = Direction::kRead;
  EXPECT_EQ(transfer_request(Load{2, 0, 7}, config), (TransferRequest{kHost, kRead, 20, 70}));
  EXPECT_EQ(transfer_request(Store{0, 4, 9}, config),
            (TransferRequest{kHost, Direction::kWrite, 40, 90}));
  EXPECT_EQ(transfer_request(Fetch{4}, config),
            (TransferRequest{Channel::kMemory, kRead, 9'223'372'036'854'775'928U, 30}));
  EXPECT_EQ(transfer_request(Matmul{}, config), std::nullopt);
  EXPECT_EQ(transfer_request(Vector{}, config), std::nullopt);
  EXPECT_EQ(transfer_request(Load{0, 0, 4'294'967'295}, config)->bytes, 42'949'672'950U);
}

TEST(TransferRequestTest, HasNoChannelIfTheMemoryIsIdeal) {
  MachineConfig config;
  config.memory_kind = MemoryKind::kIdeal;
  EXPECT_EQ(transfer_request(Load{3, 0, 2}, config),
            (TransferRequest{std::nullopt, Direction::kRead, 3 * config.row_bytes(),
                             2 * config.row_bytes()}));
}

TEST(BufferReadCyclesTest, AreOneForEachRowOfEachPlaneAndMoveNoBytes) {
  MachineConfig config;
  config.array_rows = 5;
  const BufferTile plain{.row = 0, .rows = 3, .lanes = 4};
  const BufferTile planes{.row = 0, .rows = 3, .lanes = 4, .window = {2, 9}};  // two planes
  EXPECT_EQ(buffer_read_cycles(Fetch{0, plain}, config), 3);
  EXPECT_EQ(buffer_read_cycles(Fetch{0, planes}, config), 6);
  EXPECT_EQ(transfer_request(Fetch{0, planes}, config), std::nullopt);
  EXPECT_EQ(buffer_read_cycles(Fetch{7}, config), 0);
  EXPECT_EQ(buffer_read_cycles(Load{0, 0, 7}, config), 0);
}

}  // namespace
}  // namespace weft
