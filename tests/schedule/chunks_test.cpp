// Chunks and their row generators, checked against loops over every output position.
#include "compiler/layers/chunks.h"

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "sim/isa/row_generator.h"
#include "tests/schedule/random.h"

namespace weft::compiler {
namespace {

using testing::Random;

constexpr std::uint64_t kChunkCases = 3000;

std::vector<Chunk> cut(const RowWalk& walk, std::int64_t limit) {
  const Chunks chunks(walk, limit);
  std::vector<Chunk> all;
  for (std::int64_t i = 0; i < chunks.size(); ++i) all.push_back(chunks[i]);
  return all;
}

graph::WindowDim random_dim(Random& random) {
  graph::WindowDim dim;
  do {
    dim.input = random.between(1, 9);
    dim.kernel = random.between(1, 3);
    dim.stride = random.between(1, 3);
    dim.dilation = random.between(1, 2);
    dim.pad_begin = random.between(0, 2);
    dim.pad_end = random.between(0, 2);
  } while (dim.input + dim.pad_begin + dim.pad_end < dim.extent());
  dim.output = (dim.input + dim.pad_begin + dim.pad_end - dim.extent()) / dim.stride + 1;
  return dim;
}

RowWalk random_walk(Random& random) {
  RowWalk walk;
  walk.images = random.between(1, 3);
  walk.y = random.chance(80) ? random_dim(random) : graph::WindowDim{};
  walk.x = random_dim(random);
  // Steps of a view that may be a slice: rows outside the view lie between its rows.
  walk.x_step = random.between(1, 2);
  walk.y_step = walk.x_step * walk.x.input + random.between(0, 2);
  walk.image_step = walk.y_step * walk.y.input + random.between(0, 3);
  walk.one_image = random.chance(20);
  if (random.chance(25)) {
    walk.z = random_dim(random);
    walk.z_step = walk.image_step;
    walk.image_step = walk.z_step * walk.z.input + random.between(0, 3);
    walk.images *= walk.z.output;
    walk.one_image = true;
  }
  return walk;
}

std::string class_of(const RowWalk& walk, const std::vector<Chunk>& chunks) {
  const Chunk& first = chunks.front();
  if (chunks.size() == 1) return "one chunk";
  if (first.xs < walk.x.output) return "pieces of lines";
  if (first.ys < walk.y.output) return "lines";
  return first.images > 1 ? "several images" : "single images";
}

void expect_cover(const RowWalk& walk, std::int64_t limit, const std::vector<Chunk>& chunks) {
  std::int64_t next = 0;
  for (const Chunk& chunk : chunks) {
    ASSERT_GE(chunk.rows(), 1);
    ASSERT_LE(chunk.rows(), limit);
    ASSERT_TRUE(!walk.one_image || chunk.images == 1);
    ASSERT_EQ(chunk.first_row, next) << "chunks must be contiguous";
    for (std::int64_t n = chunk.image; n < chunk.image + chunk.images; ++n) {
      for (std::int64_t y = chunk.y; y < chunk.y + chunk.ys; ++y) {
        for (std::int64_t x = chunk.x; x < chunk.x + chunk.xs; ++x) {
          ASSERT_TRUE(n < walk.images && y < walk.y.output && x < walk.x.output);
          ASSERT_EQ((n * walk.y.output + y) * walk.x.output + x, next++);
        }
      }
    }
  }
  ASSERT_EQ(next, walk.rows());
}

std::optional<std::int64_t> input_position(const graph::WindowDim& dim, std::int64_t output,
                                           std::int64_t tap) {
  const std::int64_t at = output * dim.stride - dim.pad_begin + tap * dim.dilation;
  if (at < 0 || at >= dim.input) return std::nullopt;
  return at;
}

/// Input row of each output position of the chunk, relative to the view; nullopt for padding.
std::vector<std::optional<std::int64_t>> naive_rows(const RowWalk& walk, const Chunk& chunk,
                                                    std::int64_t kz, std::int64_t ky,
                                                    std::int64_t kx) {
  std::vector<std::optional<std::int64_t>> rows;
  for (std::int64_t n = chunk.image; n < chunk.image + chunk.images; ++n) {
    for (std::int64_t y = chunk.y; y < chunk.y + chunk.ys; ++y) {
      for (std::int64_t x = chunk.x; x < chunk.x + chunk.xs; ++x) {
        const std::int64_t image = n / walk.z.output * walk.image_step;
        const auto iz = input_position(walk.z, n % walk.z.output, kz);
        const auto iy = input_position(walk.y, y, ky);
        const auto ix = input_position(walk.x, x, kx);
        rows.push_back(iz && iy && ix ? std::optional(image + *iz * walk.z_step +
                                                      *iy * walk.y_step + *ix * walk.x_step)
                                      : std::nullopt);
      }
    }
  }
  return rows;
}

void expect_taps(const RowWalk& walk, const Chunk& chunk, std::map<std::string, int>& hits) {
  const PositionRange range = input_rows(walk, chunk);
  const std::int64_t row0 = margin_of(walk) + 5;
  for (std::int64_t line = 0; line < walk.z.kernel * walk.y.kernel; ++line) {
    for (std::int64_t kx = 0; kx < walk.x.kernel; ++kx) {
      const RowGenerator generator = tap_rows(walk, chunk, line, kx, row0, 0x1234);
      ASSERT_EQ(generator.pad, 0x1234);
      const auto expected = naive_rows(walk, chunk, line / walk.y.kernel, line % walk.y.kernel, kx);
      for_each_row(generator, static_cast<std::uint32_t>(chunk.rows()),
                   [&](std::uint32_t index, std::optional<std::int64_t> row) {
                     const auto& wanted = expected[index];
                     ASSERT_EQ(row.has_value(), wanted.has_value());
                     ++hits[row ? "row" : "padding"];
                     if (!row) return;
                     ASSERT_EQ(*row, row0 + *wanted);
                     ASSERT_TRUE(*wanted >= range.first && *wanted < range.last)
                         << "input_rows() leaves out a row that is read";
                   });
    }
  }
  ASSERT_TRUE(range.first >= 0 && range.last >= range.first);
  ASSERT_LE(range.last, (walk.images / walk.z.output - 1) * walk.image_step +
                            (walk.z.input - 1) * walk.z_step + (walk.y.input - 1) * walk.y_step +
                            (walk.x.input - 1) * walk.x_step + 1);
}

TEST(ChunksTest, CoverEveryRowOnceWithinTheLimitAndReadWhatTheWindowsRead) {
  std::cout << "seeds 0 to " << kChunkCases - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < kChunkCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const RowWalk walk = random_walk(random);
    const std::int64_t limit = random.between(1, walk.rows() + 3);
    const std::vector<Chunk> chunks = cut(walk, limit);
    ASSERT_NO_FATAL_FAILURE(expect_cover(walk, limit, chunks));
    for (const Chunk& chunk : chunks) ASSERT_NO_FATAL_FAILURE(expect_taps(walk, chunk, hits));
    ++hits[class_of(walk, chunks)];
    if (walk.z.output > 1) ++hits["three dimensions"];
  }
  for (const char* name : {"one chunk", "pieces of lines", "lines", "several images",
                           "single images", "row", "padding", "three dimensions"}) {
    EXPECT_GE(hits[name], 50) << name;
  }
}

/// The distinct counts of images, lines, columns and input rows per chunk.
std::set<std::array<std::int64_t, 4>> sizes(const RowWalk& walk, const std::vector<Chunk>& chunks) {
  std::set<std::array<std::int64_t, 4>> result;
  for (const Chunk& chunk : chunks) {
    const PositionRange range = input_rows(walk, chunk);
    result.insert({chunk.images, chunk.ys, chunk.xs, range.last - range.first});
  }
  return result;
}

TEST(ChunksTest, AreCountedAndSizedWithoutAListOfAll) {
  std::cout << "seeds 0 to " << kChunkCases - 1 << '\n';
  int fewer = 0;
  for (std::uint64_t seed = 0; seed < kChunkCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const RowWalk walk = random_walk(random);
    const std::int64_t limit = random.between(1, walk.rows() + 3);
    const std::vector<Chunk> chunks = cut(walk, limit);
    const std::vector<Chunk> some = distinct_chunks(walk, limit);
    ASSERT_EQ(sizes(walk, some), sizes(walk, chunks));
    fewer += some.size() < chunks.size() ? 1 : 0;
  }
  EXPECT_GE(fewer, 500);
}

TEST(ChunksTest, AreNearlyEqual) {
  RowWalk walk;
  walk.x.output = walk.x.input = 100;
  const std::vector<Chunk> chunks = cut(walk, 99);
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0].rows(), 50) << "the chunks must be nearly equal";
  EXPECT_EQ(chunks[1].rows(), 50);
}

TEST(ChunksTest, ReadExactlyTheirRowsWhereWindowsDoNotSkip) {
  RowWalk walk;  // a 1-D window of 3 with padding 1 over 10 positions
  walk.x = {10, 10, 3, 1, 1, 1, 1};
  const PositionRange first = input_rows(walk, {.xs = 5});
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(first.last, 6);
  const PositionRange second = input_rows(walk, {.x = 5, .xs = 5, .first_row = 5});
  EXPECT_EQ(second.first, 4);
  EXPECT_EQ(second.last, 10);
}

TEST(ChunksTest, ReadNothingWhereAllIsPadding) {
  RowWalk walk;
  walk.x = {2, 6, 1, 1, 1, 4, 0};
  const PositionRange range = input_rows(walk, {.xs = 3});
  EXPECT_EQ(range.first, range.last);
}

TEST(ChunksTest, RefuseARowBeforeTheUnifiedBuffer) {
  RowWalk walk;
  walk.x = {10, 10, 3, 1, 1, 1, 1};
  EXPECT_EQ(margin_of(walk), 1);
  EXPECT_THROW(tap_rows(walk, {.xs = 10}, 0, 0, 0, 0), ConfigError);
  EXPECT_NO_THROW(tap_rows(walk, {.xs = 10}, 0, 0, margin_of(walk), 0));
}

}  // namespace
}  // namespace weft::compiler
