// An accepted vector instruction must touch only rows inside its machine. A refused one must have a
// reason: its rows reach too far, or it writes rows that it reads.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "sim/isa/check/operand_check.h"
#include "sim/isa/row_access.h"
#include "tests/isa/input_error.h"
#include "tests/isa/random_vector.h"

namespace weft {
namespace {

using testing_support::RandomVectors;

constexpr std::uint32_t kSeed = 91;

MachineConfig machine(RandomVectors& random) {
  MachineConfig config;
  config.array_cols = random.pick(1, 11);
  config.unified_buffer_kib = 1;  // 256 rows of 4 bytes
  return config;
}

/// Moves rows about the buffer, sometimes past its end. Repairs what random draws rarely get right.
Vector vector_in_buffer(RandomVectors& random, const MachineConfig& config) {
  Vector vector = random.next(config);
  vector.combine = vector.operand ? VectorCombine::kAdd : VectorCombine::kNone;
  vector.ub = random.pick(0, 260);
  if (!vector.has_bias) vector.bias = 0;
  if (vector.format == RowFormat::kWide) vector.window = {};
  if (vector.source) {
    vector.source->rows.base = random.pick(0, 260);
    if (random.flip()) vector.source->rows.loops = {RowLoop{vector.rows, 1}};
    if (vector.source->format == RowFormat::kWide) vector.source->window = {};
  }
  if (vector.operand && vector.operand->format == RowFormat::kWide) vector.operand->window = {};
  return vector;
}

std::string error_of(const Vector& vector, const MachineConfig& config) {
  return testing_support::input_error([&] { check_vector(vector, config); });
}

using RowSet = std::set<std::uint64_t>;

void add_rows(RowSet& rows, const RowTouch& touch) {
  for (std::uint64_t j = 0; j < touch.count; ++j) rows.insert(touch.row + j * touch.step);
}

/// Without the old values of rows that it combines with its results.
RowSet rows_read(const Vector& vector, const MachineConfig& config) {
  RowSet rows;
  for_each_access(vector, config, [&](const RowAccess& access) {
    const bool buffer = access.memory == RowMemory::kBuffer;
    if (buffer && access.kind == AccessKind::kRead) add_rows(rows, access.touch);
  });
  return rows;
}

RowSet rows_written(const Vector& vector, const MachineConfig& config) {
  RowSet rows;
  for_each_access(vector, config, [&](const RowAccess& access) {
    if (access.writes()) add_rows(rows, access.touch);
  });
  return rows;
}

bool meet(const RowSet& a, const RowSet& b) {
  for (const std::uint64_t row : a) {
    if (b.contains(row)) return true;
  }
  return false;
}

TEST(VectorCheckPropertyTest, WhatIsAcceptedStaysInsideTheBufferAndReadsNothingThatItWrites) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomVectors random(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 30'000; ++i) {
    const MachineConfig config = machine(random);
    const Vector vector = vector_in_buffer(random, config);
    if (!error_of(vector, config).empty()) continue;
    const RowSet read = rows_read(vector, config);
    const RowSet written = rows_written(vector, config);
    ASSERT_LT(*written.rbegin(), config.unified_buffer_rows());
    ASSERT_EQ(read.lower_bound(config.unified_buffer_rows()), read.end());
    ASSERT_FALSE(meet(read, written)) << i;
    ++hits["accepted"];
    // Rows of one set may lie between the planes of the other.
    const bool reaches_over =
        !read.empty() && *read.begin() < *written.rbegin() && *written.begin() < *read.rbegin();
    if (reaches_over) ++hits["one between rows of the other"];
  }
  EXPECT_GT(hits["accepted"], 3000);
  EXPECT_GT(hits["one between rows of the other"], 100);
}

TEST(VectorCheckPropertyTest, WhatIsRefusedForItsRowsReachesTooFarOrMeetsItsOwn) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomVectors random(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 30'000; ++i) {
    const MachineConfig config = machine(random);
    Vector vector = vector_in_buffer(random, config);
    vector.has_bias = false;
    vector.bias = 0;
    // The check compares intervals, which is exact only for walks without gaps.
    if (vector.source) vector.source->rows = contiguous_rows(vector.source->rows.base, vector.rows);
    if (vector.source && vector.source->format == RowFormat::kWide) {
      vector.source->rows.loops[0].stride = static_cast<std::int32_t>(config.result_row_rows());
    }
    if (vector.operand) vector.operand->step = 0;
    const std::string error = error_of(vector, config);
    const RowSet read = rows_read(vector, config);
    const RowSet written = rows_written(vector, config);
    if (error.find("may not write rows that it reads") != std::string::npos) {
      ASSERT_TRUE(meet(read, written)) << i << ": " << error;
      ++hits["meet"];
    } else if (error.find("unified_buffer.kib") != std::string::npos) {
      const std::uint64_t size = config.unified_buffer_rows();
      ASSERT_TRUE(*written.rbegin() >= size || (!read.empty() && *read.rbegin() >= size)) << error;
      ++hits["far"];
    }
  }
  EXPECT_GT(hits["meet"], 500);
  EXPECT_GT(hits["far"], 500);
}

TEST(BufferTileCheckPropertyTest, WhatIsAcceptedStaysInsideBufferAndArray) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomVectors random(kSeed);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const MachineConfig config = machine(random);
    const BufferTile tile{random.pick(0, 260), random.pick(0, 5), random.pick(0, 12),
                          random.window(),     random.flip(),     random.pick(0, 4)};
    try {
      check_buffer_tile(tile, config);
    } catch (const InputError&) {
      continue;
    }
    ++accepted;
    for_each_access(Fetch{0, tile}, config, [&](const RowAccess& access) {
      ASSERT_LE(access.touch.row + access.touch.count, config.unified_buffer_rows());
    });
    for (std::uint32_t row = 0; row < tile.rows; ++row) {
      for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
        ASSERT_LT(tile.at + (tile.transpose ? lane : row), config.array_rows);
        ASSERT_LT(tile.transpose ? row : lane, config.array_cols);
      }
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace weft
