// Checks which rows an instruction touches at each index against the definition in
// sim/isa/instruction.h, lane by lane and word by word.
#include "sim/isa/row_access.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/isa/random_vector.h"

namespace weft {
namespace {

using testing_support::RandomVectors;

/// An int8 machine of R = 4 and C columns; a row has 4 bytes.
MachineConfig machine(std::uint32_t cols) {
  MachineConfig config;
  config.array_cols = cols;
  return config;
}

/// The touches of UB rows.
std::vector<RowTouch> touches(const Operation& operation, const MachineConfig& config,
                              bool writes) {
  std::vector<RowTouch> touches;
  for_each_access(operation, config, [&](const RowAccess& access) {
    const bool buffer = access.memory == RowMemory::kBuffer;
    if (buffer && access.writes() == writes) touches.push_back(access.touch);
  });
  return touches;
}

std::vector<RowTouch> reads(const Operation& operation, const MachineConfig& config) {
  return touches(operation, config, false);
}

std::vector<RowTouch> writes(const Operation& operation, const MachineConfig& config) {
  return touches(operation, config, true);
}

using Events = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // index, row

Events events(const std::vector<RowTouch>& touches) {
  Events result;
  for (const RowTouch& touch : touches) {
    for (std::uint64_t j = 0; j < touch.count; ++j) {
      for (std::uint32_t k = 0; k < touch.length; ++k) {
        result.emplace(touch.first_index + j / touch.group + k, touch.row + j * touch.step);
      }
    }
  }
  return result;
}

TEST(RowAccessTest, AContiguousNarrowWalkIsOneTouchForEachPlane) {
  Vector vector{.source = VectorSource{.rows = contiguous_rows(8, 5), .window = {2, 16}},
                .ub = 100,
                .rows = 5,
                .format = RowFormat::kNarrow,
                .window = {2, 16}};
  // Lanes 0..6 from column 2 on lie in columns 2 3 | 0 1 2 3 | 0 of three rows of 4.
  EXPECT_EQ(reads(vector, machine(7)),
            (std::vector<RowTouch>{{8, 5, 0, 1, 1}, {24, 5, 0, 1, 1}, {40, 5, 0, 1, 1}}));
  EXPECT_EQ(writes(vector, machine(7)),
            (std::vector<RowTouch>{{100, 5, 0, 1, 1}, {116, 5, 0, 1, 1}, {132, 5, 0, 1, 1}}));
  vector.lanes = 2;
  EXPECT_EQ(reads(vector, machine(7)), (std::vector<RowTouch>{{8, 5, 0, 1, 1}}));
  EXPECT_EQ(writes(vector, machine(7)).size(), 3U) << "zeros are written too";
  vector.fill = false;
  EXPECT_EQ(writes(vector, machine(7)), (std::vector<RowTouch>{{100, 5, 0, 1, 1}}));
}

TEST(RowAccessTest, AWideRowIsOneGroup) {
  const Vector vector{.ub = 16, .rows = 3, .has_bias = true, .bias = 4};
  EXPECT_EQ(writes(vector, machine(4)), (std::vector<RowTouch>{{16, 12, 0, 4, 1}}));
  EXPECT_EQ(reads(vector, machine(4)), (std::vector<RowTouch>{{4, 4, 0, 4, 3}}))
      << "the bias, in every cycle";
}

TEST(RowAccessTest, AStridedWalkIsOneTouchForEachPassOfTheInnermostLoop) {
  RowGenerator rows{.base = 20};
  rows.loops[0] = {4, 3};
  rows.loops[1] = {2, 100};
  const Matmul matmul{.ub = rows, .rows = 7};
  const std::vector<RowTouch> touches = reads(matmul, machine(4));
  EXPECT_EQ(touches, (std::vector<RowTouch>{{20, 4, 0, 1, 1, 3}, {120, 3, 4, 1, 1, 3}}));
  EXPECT_EQ(touches[0].end(), 30U);
  EXPECT_EQ(touches[0].rows(), (RowClass{3, 2}));
}

TEST(RowAccessTest, PlanesThatFollowEachOtherAreOneGroup) {
  Vector vector{.combine = VectorCombine::kAdd, .ub = 100, .rows = 3};
  vector.operand = VectorOperand{
      .row = 10, .step = 2, .format = RowFormat::kNarrow, .window = {.column = 0, .plane = 1}};
  EXPECT_EQ(reads(vector, machine(8)), (std::vector<RowTouch>{{10, 6, 0, 2, 1}}));
  vector.operand->step = 5;
  EXPECT_EQ(reads(vector, machine(8)),
            (std::vector<RowTouch>{{10, 2, 0, 2, 1}, {15, 2, 1, 2, 1}, {20, 2, 2, 2, 1}}));
}

TEST(RowAccessTest, AFetchReadsOnePlaneAfterTheOther) {
  const BufferTile tile{.row = 8, .rows = 3, .lanes = 4, .window = {.column = 2, .plane = 10}};
  EXPECT_EQ(reads(Fetch{0, tile}, machine(4)),
            (std::vector<RowTouch>{{8, 3, 0, 1, 1}, {18, 3, 3, 1, 1}}));
  EXPECT_EQ(buffer_tile_reads(tile, machine(4)), 6U);
  EXPECT_EQ(
      buffer_tile_reads({.row = 8, .rows = 3, .lanes = 2, .window = {.column = 2}}, machine(4)),
      3U);
}

std::vector<RowAccess> accesses(const Operation& operation, const MachineConfig& config) {
  std::vector<RowAccess> accesses;
  for_each_access(operation, config, [&](const RowAccess& each) { accesses.push_back(each); });
  return accesses;
}

TEST(RowAccessTest, ATransferTouchesAllItsRowsAtAnyTime) {
  using enum RowMemory;
  const RowTouch host{90, 5, 0, 5};
  const RowTouch buffer{7, 5, 0, 5};
  constexpr auto kAtAnyTime = Moment::kTransfer;
  EXPECT_EQ(accesses(Load{90, 7, 5}, machine(4)),
            (std::vector<RowAccess>{{kHost, AccessKind::kRead, kAtAnyTime, host},
                                    {kBuffer, AccessKind::kWrite, kAtAnyTime, buffer, {0, 4}}}));
  EXPECT_EQ(accesses(Store{7, 90, 5}, machine(4)),
            (std::vector<RowAccess>{{kBuffer, AccessKind::kRead, kAtAnyTime, buffer},
                                    {kHost, AccessKind::kWrite, kAtAnyTime, host, {0, 4}}}));
  EXPECT_TRUE(accesses(Fetch{3}, machine(4)).empty()) << "weight memory has no rows";
}

TEST(RowAccessTest, AMatmulWritesSumsOfAllColumnsOrAddsToThem) {
  Matmul matmul{.ub = contiguous_rows(20, 4), .rows = 4, .acc = 9};
  const RowAccess read{RowMemory::kBuffer, AccessKind::kRead, Moment::kStart, {20, 4}};
  RowAccess sums{
      RowMemory::kAccumulators, AccessKind::kWrite, Moment::kAccumulated, {9, 4}, {0, 6}};
  EXPECT_EQ(accesses(matmul, machine(6)), (std::vector<RowAccess>{read, sums}));
  matmul.accumulate = true;
  sums.kind = AccessKind::kCombine;
  EXPECT_EQ(accesses(matmul, machine(6)), (std::vector<RowAccess>{read, sums}));
}

TEST(RowAccessTest, AModeReadsTheOldRowsBeforeItWritesThem) {
  Vector vector{.mode = VectorMode::kAdd, .acc = 3, .ub = 50, .rows = 2};
  vector.format = RowFormat::kNarrow;
  vector.window = {3, 8};  // lanes 0 | 1 2 3 4 | 5 in columns 3 | 0..3 | 0
  const auto at = [](std::uint64_t row) { return RowTouch{row, 2}; };
  const auto old = [&](std::uint64_t row) {
    return RowAccess{RowMemory::kBuffer, AccessKind::kReadOld, Moment::kStart, at(row)};
  };
  const auto written = [&](std::uint64_t row, LaneRange lanes) {
    return RowAccess{RowMemory::kBuffer, AccessKind::kCombine, Moment::kResult, at(row), lanes};
  };
  EXPECT_EQ(
      accesses(vector, machine(6)),
      (std::vector<RowAccess>{{RowMemory::kAccumulators, AccessKind::kRead, Moment::kStart, {3, 2}},
                              old(50),
                              old(58),
                              old(66),
                              written(50, {3, 4}),
                              written(58, {0, 4}),
                              written(66, {0, 1})}));
}

class NaiveEvents {
 public:
  explicit NaiveEvents(const MachineConfig& config) : config_(config) {}

  void row(std::uint64_t index, std::uint64_t row, RowFormat format, const LaneWindow& window,
           std::uint32_t lanes) {
    if (format == RowFormat::kWide) {
      for (std::uint64_t byte = 0; byte < std::uint64_t{config_.array_cols} * 4; ++byte) {
        events.emplace(index, row + byte / config_.row_bytes());
      }
      return;
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t plane = (window.column + lane) / config_.array_rows;
      events.emplace(index, row + plane * window.plane);
    }
  }

  void result(const Vector& vector) {
    const bool wide = vector.format == RowFormat::kWide;
    const std::uint32_t lanes =
        vector.fill || vector.lanes == 0 ? config_.array_cols : vector.lanes;
    for (std::uint32_t i = 0; i < vector.rows; ++i) {
      const std::uint64_t row =
          vector.ub + std::uint64_t{i} * (wide ? config_.result_row_rows() : 1);
      this->row(i, row, vector.format, vector.window, lanes);
    }
  }

  void sources(const Vector& vector) {
    const std::uint32_t lanes = vector.lanes == 0 ? config_.array_cols : vector.lanes;
    if (vector.source) {
      for_each_row(vector.source->rows, vector.rows, [&](std::uint32_t index, const auto& row) {
        if (!row) return;
        this->row(index, static_cast<std::uint64_t>(*row), vector.source->format,
                  vector.source->window, lanes);
      });
    }
    for (std::uint32_t i = 0; i < vector.rows; ++i) {
      if (vector.has_bias) row(i, vector.bias, RowFormat::kWide, {}, lanes);
      if (!vector.operand) continue;
      const VectorOperand& operand = *vector.operand;
      row(i, operand.row + std::uint64_t{i} * operand.step, operand.format, operand.window, lanes);
    }
    if (vector.mode != VectorMode::kOverwrite) result(vector);
  }

  Events events;

 private:
  const MachineConfig& config_;
};

using Elements = std::set<std::pair<std::uint64_t, std::uint32_t>>;  // UB row, element

Elements written_elements(const Vector& vector, const MachineConfig& config) {
  Elements elements;
  for (const RowAccess& access : accesses(vector, config)) {
    if (!access.writes()) continue;
    for (std::uint64_t j = 0; j < access.touch.count; ++j) {
      for (std::uint32_t e = access.lanes.begin; e < access.lanes.end; ++e) {
        elements.emplace(access.touch.row + j * access.touch.step, e);
      }
    }
  }
  return elements;
}

/// From the definition of a LaneWindow; a wide row counts as a whole.
Elements naive_elements(const Vector& vector, const MachineConfig& config) {
  Elements elements;
  for (std::uint32_t i = 0; i < vector.rows; ++i) {
    if (vector.format == RowFormat::kWide) {
      for (std::uint32_t e = 0; e < config.result_row_rows() * config.array_rows; ++e) {
        elements.emplace(
            vector.ub + std::uint64_t{i} * config.result_row_rows() + e / config.array_rows,
            e % config.array_rows);
      }
      continue;
    }
    const bool all = vector.fill || vector.lanes == 0 || vector.reduce != VectorReduce::kNone;
    for (std::uint32_t lane = 0; lane < (all ? config.array_cols : vector.lanes); ++lane) {
      const std::uint32_t at = vector.window.column + lane;
      elements.emplace(vector.ub + i + std::uint64_t{at / config.array_rows} * vector.window.plane,
                       at % config.array_rows);
    }
  }
  return elements;
}

TEST(RowAccessPropertyTest, TouchesTheRowsOfTheDefinitionAtTheirIndices) {
  constexpr std::uint32_t kSeed = 77;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomVectors random(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 20'000; ++i) {
    const MachineConfig config = machine(random.pick(1, 11));
    const Vector vector = random.next(config);
    NaiveEvents read(config);
    read.sources(vector);
    ASSERT_EQ(events(reads(vector, config)), read.events) << i;
    NaiveEvents written(config);
    written.result(vector);
    ASSERT_EQ(events(writes(vector, config)), written.events) << i;
    ASSERT_EQ(written_elements(vector, config), naive_elements(vector, config)) << i;
    for (const RowTouch& touch : reads(vector, config)) {
      ++hits[touch.length > 1 ? "held" : touch.group > 1 ? "group" : "rows"];
      if (touch.count > touch.group) ++hits[touch.step > 1 ? "strided" : "joined"];
    }
  }
  for (const char* kind : {"held", "group", "rows", "joined", "strided"})
    EXPECT_GT(hits[kind], 1000) << kind;
}

TEST(RowAccessPropertyTest, AFetchReadsEachRowOnceInACycleOfItsOwn) {
  constexpr std::uint32_t kSeed = 78;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomVectors random(kSeed);
  for (int i = 0; i < 5'000; ++i) {
    const MachineConfig config = machine(random.pick(1, 11));
    const BufferTile tile{.row = random.pick(0, 9),
                          .rows = random.pick(1, 5),
                          .lanes = random.pick(1, 11),
                          .window = {random.pick(0, 3), random.pick(5, 9)}};
    NaiveEvents expected(config);
    for (std::uint32_t row = 0; row < tile.rows; ++row) {
      expected.row(0, tile.row + row, RowFormat::kNarrow, tile.window, tile.lanes);
    }
    std::set<std::uint64_t> rows;
    std::set<std::uint64_t> cycles;
    for (const auto& [cycle, row] : events(reads(Fetch{0, tile}, config))) {
      ASSERT_TRUE(rows.insert(row).second);
      ASSERT_TRUE(cycles.insert(cycle).second);
    }
    ASSERT_EQ(rows.size(), expected.events.size());
    for (const std::uint64_t row : rows) ASSERT_TRUE(expected.events.contains({0, row}));
    ASSERT_EQ(cycles.size(), buffer_tile_reads(tile, config));
    ASSERT_EQ(*cycles.rbegin() + 1, buffer_tile_reads(tile, config));
  }
}

}  // namespace
}  // namespace weft
