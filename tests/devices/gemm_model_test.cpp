// Compares the model's arithmetic with counts by hand.
#include "models/devices/gemm_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::devices {
namespace {

using enum NumberFormat;

constexpr Tile kLarge = {256, 128};

/// Two units at 1 MHz. Each computes 1000 FLOP per clock in fp16 and fp32. Memory moves 1 GB/s.
DeviceModel toy() {
  DeviceModel device;
  device.name = "toy";
  device.units = 2;
  for (FormatRate& rate : device.rates) rate = {1000, 1};
  device.memory_gb_per_s = 1;
  return device;
}

TEST(GemmModelTest, AProductIsCutIntoTilesAndWaves) {
  // 300 x 200 in tiles of 128 x 64: 3 * 4 = 12 tiles, 6 waves of 2. K = 20 is 2 steps of 16.
  const GemmModel model = model_gemm(toy(), kFp16, {300, 20, 200}, {128, 64});
  EXPECT_EQ(model.tiles, 12U);
  EXPECT_EQ(model.waves, 6U);
  EXPECT_DOUBLE_EQ(model.useful_flop, 2.0 * 300 * 20 * 200);
  EXPECT_DOUBLE_EQ(model.issued_flop, 12 * 2.0 * 128 * 64 * 32);
  // The waves are whole, so no unit is idle, and all waste is padding.
  EXPECT_DOUBLE_EQ(model.padding(), 1 - 2400000.0 / 6291456);
  EXPECT_DOUBLE_EQ(model.waste(), model.padding());
  // A tile has 524,288 FLOP, that is 524.288 clocks of 1 us.
  EXPECT_DOUBLE_EQ(model.compute_seconds, 6 * 524.288e-6);
  // The product moves (300*20 + 20*200) * 2 + 300*200 * 2 bytes at 1 GB/s.
  EXPECT_DOUBLE_EQ(model.memory_seconds, 140000e-9);
  EXPECT_EQ(model.bound(), GemmBound::kCompute);
  EXPECT_DOUBLE_EQ(model.seconds(), model.compute_seconds);
}

TEST(GemmModelTest, TheMemoryRoofBindsWhereItIsLower) {
  DeviceModel slow = toy();
  slow.memory_gb_per_s = 0.01;  // 140,000 bytes in 14 ms, but computing takes 3.1 ms
  const GemmModel model = model_gemm(slow, kFp16, {300, 20, 200}, {128, 64});
  EXPECT_EQ(model.bound(), GemmBound::kMemory);
  EXPECT_DOUBLE_EQ(model.seconds(), 0.014);
}

// 12 tiles of 524,288 FLOP at 2000 FLOP per clock of 1 us, six waves of two tiles.
TEST(GemmModelTest, ALongProductDoesNotExceedTheSustainedRate) {
  DeviceModel hot = toy();
  hot.sustained_share = 0.5;
  const GemmModel model = model_gemm(hot, kFp16, {300, 20, 200}, {128, 64});
  EXPECT_DOUBLE_EQ(model.sustained_seconds, 12 * 524288 / 2000.0 / 0.5 * 1e-6);
  EXPECT_DOUBLE_EQ(model.seconds(), 2 * model.compute_seconds);
  EXPECT_EQ(model.bound(), GemmBound::kSustained);
  // One tile leaves a unit idle, which takes no power. Half of the rate is then no ceiling.
  const GemmModel one = model_gemm(hot, kFp16, {128, 20, 64}, {128, 64});
  EXPECT_DOUBLE_EQ(one.sustained_seconds, one.compute_seconds);
  EXPECT_EQ(one.bound(), GemmBound::kCompute);
}

TEST(GemmModelTest, TilesReadTheirOperandsFromTheSharedCache) {
  DeviceModel cached = toy();
  cached.l2_gb_per_s = 0.02;
  // Four columns of tiles read A, 300 x 20, four times; three rows of tiles read B, 20 x 200, three
  // times. Elements beyond the edge are not read.
  const GemmModel model = model_gemm(cached, kFp16, {300, 20, 200}, {128, 64});
  EXPECT_DOUBLE_EQ(model.l2_seconds, (4 * 300 * 20 + 3 * 20 * 200) * 2 / 0.02e9);
  EXPECT_EQ(model.bound(), GemmBound::kL2);
  EXPECT_DOUBLE_EQ(model.seconds(), model.l2_seconds);
  EXPECT_DOUBLE_EQ(model_gemm(cached, kFp16, {300, 20, 200, 5}, {128, 64}).l2_seconds,
                   5 * model.l2_seconds);
  EXPECT_EQ(model_gemm(toy(), kFp16, {300, 20, 200}, {128, 64}).l2_seconds, 0);
}

TEST(GemmModelTest, ALaunchComesBeforeTheRest) {
  DeviceModel slow = toy();
  slow.launch_us = 5000;
  slow.memory_share = 0.5;
  const GemmModel model = model_gemm(slow, kFp16, {300, 20, 200}, {128, 64});
  EXPECT_DOUBLE_EQ(model.memory_seconds, 280000e-9);  // 140,000 bytes at half of 1 GB/s
  EXPECT_DOUBLE_EQ(model.seconds(), 5e-3 + 6 * 524.288e-6);
  EXPECT_EQ(model.bound(), GemmBound::kLaunch);
}

// A tile of 64 x 64 reads 128 elements for 4096 sums; one of 256 x 128 reads 384 for 32,768. An
// A100's cache feeds only the larger ones at its full rate.
TEST(GemmModelTest, SmallTilesAreLessEfficientWhereTheCacheIsKnown) {
  const DeviceModel& a100 = *find_device("a100");
  const GemmShape shape{512, 12288, 12288};
  const GemmModel small = model_gemm(a100, kFp16, shape, {64, 64});
  EXPECT_EQ(small.bound(), GemmBound::kL2);
  EXPECT_EQ(model_gemm(a100, kFp16, shape).tile, kLarge);
}

TEST(GemmModelTest, NothingTakesLessThanALaunch) {
  const GemmModel model = model_gemm(*find_device("a100"), kFp16, {64, 64, 64});
  EXPECT_GT(model.seconds(), 3e-6);
  EXPECT_EQ(model.bound(), GemmBound::kLaunch);
  EXPECT_EQ(to_string(GemmBound::kSustained), "sustained rate");
}

TEST(GemmModelTest, BytesAreThoseOfOperandsAndResult) {
  const GemmShape shape{3, 5, 7};
  EXPECT_DOUBLE_EQ(gemm_bytes(shape, kFp32), (15 + 35 + 21) * 4);
  EXPECT_DOUBLE_EQ(gemm_bytes(shape, kTf32), (15 + 35 + 21) * 4);
  EXPECT_DOUBLE_EQ(gemm_bytes(shape, kBf16), (15 + 35 + 21) * 2);
  EXPECT_DOUBLE_EQ(gemm_bytes(shape, kInt8), 15 + 35 + 21 * 4);
  EXPECT_DOUBLE_EQ(gemm_bytes({3, 5, 7, 11}, kInt8), 11 * (15 + 35 + 21 * 4));
}

TEST(GemmModelTest, KIsPaddedToWholeInstructions) {
  const auto issued = [](NumberFormat format, std::uint64_t k) {
    return model_gemm(toy(), format, {64, k, 64}, {64, 64}).issued_flop / (2.0 * 64 * 64);
  };
  EXPECT_DOUBLE_EQ(issued(kFp32, 33), 33);
  EXPECT_DOUBLE_EQ(issued(kTf32, 33), 40);
  EXPECT_DOUBLE_EQ(issued(kFp16, 33), 48);
  EXPECT_DOUBLE_EQ(issued(kBf16, 32), 32);
  EXPECT_DOUBLE_EQ(issued(kInt8, 33), 64);
}

// NVIDIA's guide: 256 x 256 has four tiles of 128 x 128, and 256 x 257 has six. That is 50 % more
// work for 0.4 % more result.
TEST(GemmModelTest, OneColumnMoreThanWholeTilesCostsAHalfMore) {
  const DeviceModel& a100 = *find_device("a100");
  const GemmModel whole = model_gemm(a100, kFp16, {256, 4096, 256}, {128, 128});
  const GemmModel more = model_gemm(a100, kFp16, {256, 4096, 257}, {128, 128});
  EXPECT_EQ(whole.tiles, 4U);
  EXPECT_EQ(more.tiles, 6U);
  EXPECT_DOUBLE_EQ(more.issued_flop / whole.issued_flop, 1.5);
  EXPECT_DOUBLE_EQ(whole.padding(), 0);
  EXPECT_DOUBLE_EQ(more.padding(), 1 - 257.0 / 384);
  // 4 and 6 of 108 SMs have a tile.
  EXPECT_DOUBLE_EQ(whole.waste(), 1 - 4.0 / 108);
  EXPECT_DOUBLE_EQ(more.waste(), 1 - 257.0 / 384 * 6 / 108);
}

// The guide's other example: N grows from 128 to 136 in a tall product. With tiles of 64 columns
// the work grows by half. M = 27,648 = 108 * 256 gives whole waves of both tiles.
TEST(GemmModelTest, FromN128ToN136TheBestTileTakesAboutHalfAsLongAgain) {
  const DeviceModel& a100 = *find_device("a100");
  const GemmModel before = model_gemm(a100, kFp16, {27648, 4096, 128});
  const GemmModel after = model_gemm(a100, kFp16, {27648, 4096, 136});
  EXPECT_EQ(before.tile, kLarge);
  EXPECT_EQ(before.waves, 1U);
  EXPECT_EQ(after.tile, (Tile{256, 64}));
  EXPECT_DOUBLE_EQ(after.compute_seconds / before.compute_seconds, 1.5);
}

// The guide: 1792 x 1792 has 98 tiles of 256 x 128, fewer than the 108 SMs of an A100.
TEST(GemmModelTest, OneTileMoreThanUnitsStartsASecondWave) {
  const DeviceModel& a100 = *find_device("a100");
  const GemmModel one = model_gemm(a100, kFp16, {1792, 1792, 1792}, kLarge);
  EXPECT_EQ(one.tiles, 98U);
  EXPECT_EQ(one.waves, 1U);
  EXPECT_DOUBLE_EQ(one.padding(), 0);
  EXPECT_DOUBLE_EQ(one.waste(), 10.0 / 108);
  EXPECT_DOUBLE_EQ(one.useful_flop / one.compute_seconds / a100.peak(kFp16), 98.0 / 108);
  const auto waves = [&](std::uint64_t tiles) {
    return model_gemm(a100, kFp16, {256 * tiles, 1792, 128}, kLarge).waves;
  };
  EXPECT_EQ(waves(108), 1U);
  EXPECT_EQ(waves(109), 2U);
  EXPECT_EQ(waves(216), 2U);
  EXPECT_EQ(waves(217), 3U);
  // 1792 * 1792 * 1792 on 98 of 108 SMs takes one tile's time, at 2048 FLOP per clock.
  EXPECT_DOUBLE_EQ(one.compute_seconds, 2.0 * 256 * 128 * 1792 / 2048 / 1.41e9);
}

TEST(GemmModelTest, TheBestTileIsNoWorseThanAnyAndTheFirstAmongEquals) {
  const DeviceModel& a100 = *find_device("a100");
  for (const GemmShape& shape : {GemmShape{4096, 4096, 4096}, GemmShape{1, 4096, 1000},
                                 GemmShape{65, 100, 129}, GemmShape{3000, 77, 500, 12}}) {
    const GemmModel best = model_gemm(a100, kFp16, shape);
    for (const Tile& tile : tiles_of(a100.kind)) {
      const GemmModel other = model_gemm(a100, kFp16, shape, tile);
      EXPECT_LE(best.tile_seconds(), other.tile_seconds() * (1 + 1e-12));
      if (tile == best.tile) break;
      EXPECT_LT(best.tile_seconds(), other.tile_seconds());
    }
  }
  // For one row, the tile of 64 x 64 wastes least.
  EXPECT_EQ(model_gemm(a100, kFp16, {1, 4096, 1000}).tile.m, 64U);
}

TEST(GemmModelTest, TheTilesOfAGpuAreThoseOfTheGuide) {
  const auto tiles = tiles_of(DeviceKind::kGpu);
  EXPECT_EQ(tiles.size(), 8U);
  EXPECT_EQ(tiles.front(), kLarge);
  EXPECT_EQ(tiles.back(), (Tile{64, 64}));
  for (const Tile& tile : tiles) {
    EXPECT_NE(std::ranges::find(tiles, Tile{tile.n, tile.m}), tiles.end());
  }
}

TEST(GemmModelTest, ProductsSideBySideShareTheWaves) {
  // 12 heads of 128 x 128 have 12 tiles of 128 x 128, that is 6 waves of 2.
  const GemmModel model = model_gemm(toy(), kFp16, {128, 64, 128, 12}, {128, 128});
  EXPECT_EQ(model.tiles, 12U);
  EXPECT_EQ(model.waves, 6U);
  EXPECT_DOUBLE_EQ(model.useful_flop, 12 * 2.0 * 128 * 64 * 128);
}

TEST(GemmModelTest, WholeWavesReachThePeak) {
  for (const DeviceModel& device : devices()) {
    SCOPED_TRACE(device.name);
    const Tile tile = tiles_of(device.kind).front();
    const GemmShape shape{std::uint64_t{tile.m} * device.units, 4096, std::uint64_t{tile.n} * 64};
    const GemmModel model = model_gemm(device, device.usual, shape, tile);
    EXPECT_EQ(model.waves, 64U);
    EXPECT_NEAR(model.useful_flop / model.compute_seconds / device.peak(device.usual), 1, 1e-12);
  }
}

}  // namespace
}  // namespace weft::devices
