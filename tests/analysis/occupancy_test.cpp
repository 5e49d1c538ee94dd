// Occupancy of the memories, compared with a count of every row in every cycle by the definition in
// sim/analysis/occupancy.h. The programs run without hazards.
#include "sim/analysis/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/analysis/hazards/hazard_check.h"
#include "sim/analysis/summary.h"
#include "sim/timing/analytic.h"
#include "tests/analysis/race_free_program.h"

namespace weft {
namespace {

using testing::Random;

constexpr std::uint64_t kPrograms = 3000;

/// An access of one instruction to one row.
struct Touch {
  enum class Kind { kRead, kWrite, kCombine };

  Cycle first;
  Cycle last;
  Kind kind;
  std::uint32_t low_lane = 0;  // only for writes
  std::uint32_t high_lane = 0;
};

using Touches = std::map<std::int64_t, std::vector<Touch>>;  // by row

/// Every access to every row, for one row of an instruction at a time.
class NaiveTouches {
 public:
  NaiveTouches(const MachineConfig& config, const Program& program, const Timeline& timeline)
      : config_(config) {
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      timing_ = timeline.instructions[i];
      std::visit([this](const auto& operation) { add(operation); }, program.code[i].operation);
    }
  }

  Touches buffer;
  Touches accumulators;

 private:
  void add(const Load& load) {
    for (std::int64_t r = 0; r < load.rows; ++r) {
      buffer[load.ub + r].push_back(
          {timing_.started, timing_.retired, Touch::Kind::kWrite, 0, config_.array_rows - 1});
    }
  }
  void add(const Store& store) {
    for (std::int64_t r = 0; r < store.rows; ++r) {
      buffer[store.ub + r].push_back({timing_.started, timing_.retired, Touch::Kind::kRead});
    }
  }
  void add(const Fetch& fetch) {
    if (!fetch.buffer) return;
    const BufferTile& tile = *fetch.buffer;
    const std::uint32_t last_plane = (tile.window.column + tile.lanes - 1) / config_.array_rows;
    Cycle cycle = timing_.started;
    for (std::int64_t plane = 0; plane <= last_plane; ++plane) {
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        read(buffer, tile.row + plane * tile.window.plane + r, cycle++);
      }
    }
  }
  void add(const Matmul& matmul) {
    for_each_row(matmul.ub, matmul.rows, [&](std::uint32_t index, auto row) {
      if (row) read(buffer, *row, timing_.started + index);
    });
    for (std::uint32_t m = 0; m < matmul.rows; ++m) {
      const Cycle cycle = timing_.started + m + config_.array_rows + config_.array_cols - 1;
      const auto kind = matmul.accumulate ? Touch::Kind::kCombine : Touch::Kind::kWrite;
      accumulators[matmul.acc + m].push_back({cycle, cycle, kind, 0, config_.array_cols - 1});
    }
  }
  void add(const Vector& vector) {
    const std::uint32_t lanes = vector.lanes == 0 ? config_.array_cols : vector.lanes;
    const auto at = [&](std::uint32_t index) { return timing_.started + index; };
    if (vector.source) {
      for_each_row(vector.source->rows, vector.rows, [&](std::uint32_t index, auto row) {
        if (row) read_lanes(vector.source->format, vector.source->window, *row, lanes, at(index));
      });
    }
    for (std::uint32_t index = 0; index < vector.rows; ++index) {
      if (!vector.source) read(accumulators, vector.acc + index, at(index));
      if (vector.operand) {
        const std::int64_t row = vector.operand->row + std::int64_t{index} * vector.operand->step;
        read_lanes(vector.operand->format, vector.operand->window, row, lanes, at(index));
      }
      if (vector.has_bias) read_lanes(RowFormat::kWide, {}, vector.bias, lanes, at(index));
      write_lanes(vector, index, at(index));
    }
  }

  static void read(Touches& rows, std::int64_t row, Cycle cycle) {
    rows[row].push_back({cycle, cycle, Touch::Kind::kRead});
  }

  std::int64_t wide_rows() const {
    return (config_.array_cols * 4 + config_.row_bytes() - 1) / config_.row_bytes();
  }

  void read_lanes(RowFormat format, const LaneWindow& window, std::int64_t row, std::uint32_t lanes,
                  Cycle cycle) {
    if (format == RowFormat::kWide) {
      for (std::int64_t r = 0; r < wide_rows(); ++r) read(buffer, row + r, cycle);
      return;
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t plane = (window.column + lane) / config_.array_rows;
      read(buffer, row + std::int64_t{plane} * window.plane, cycle);
    }
  }

  void write_lanes(const Vector& vector, std::uint32_t index, Cycle read_cycle) {
    const bool combines = vector.mode != VectorMode::kOverwrite;
    const Cycle cycle = read_cycle + config_.vector_latency_cycles - 1;
    Touch touch{cycle, cycle, combines ? Touch::Kind::kCombine : Touch::Kind::kWrite, 0,
                config_.array_rows - 1};
    if (vector.format == RowFormat::kWide) {
      for (std::int64_t r = 0; r < wide_rows(); ++r) {
        buffer[vector.ub + index * wide_rows() + r].push_back(touch);
      }
      return;
    }
    const bool all = vector.fill || vector.lanes == 0 || vector.reduce != VectorReduce::kNone;
    const std::uint32_t lanes = all ? config_.array_cols : vector.lanes;
    std::map<std::int64_t, Touch> rows;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t plane = (vector.window.column + lane) / config_.array_rows;
      const std::uint32_t element = (vector.window.column + lane) % config_.array_rows;
      touch.low_lane = touch.high_lane = element;
      const std::int64_t row = vector.ub + index + std::int64_t{plane} * vector.window.plane;
      const auto known = rows.emplace(row, touch).first;
      known->second.high_lane = element;
    }
    for (const auto& [row, write] : rows) buffer[row].push_back(write);
  }

  const MachineConfig& config_;
  InstructionTiming timing_;
};

/// Counts of the ways in which a row was written.
struct Variety {
  int replaced = 0;
  int combined = 0;
  int added_lanes = 0;
  int never_read = 0;
};

/// Adds the lifetimes of one row's contents in time order, by the rules of
/// sim/analysis/row_lives.h.
void add_lives(std::vector<Touch> touches, std::vector<std::int64_t>& occupied, Variety& variety) {
  std::ranges::stable_sort(touches, [](const Touch& a, const Touch& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.kind == Touch::Kind::kRead && b.kind != Touch::Kind::kRead;
  });
  const auto live = [&](Cycle begin, Cycle end) {
    for (Cycle t = begin; t <= end; ++t) ++occupied.at(static_cast<std::size_t>(t));
  };
  Touch content{-1, -1, Touch::Kind::kWrite};
  bool read = false;
  for (const Touch& touch : touches) {
    const bool writes = touch.kind != Touch::Kind::kRead;
    const bool meets = touch.low_lane <= content.high_lane && content.low_lane <= touch.high_lane;
    if (writes && (content.first < 0 || (read && meets && touch.kind == Touch::Kind::kWrite))) {
      if (content.first >= 0) live(content.first, content.last);
      variety.replaced += content.first >= 0 ? 1 : 0;
      content = touch;
      read = false;
      continue;
    }
    variety.combined += touch.kind == Touch::Kind::kCombine ? 1 : 0;
    variety.added_lanes += writes && read && !meets ? 1 : 0;
    if (writes) {
      content.low_lane = std::min(content.low_lane, touch.low_lane);
      content.high_lane = std::max(content.high_lane, touch.high_lane);
    }
    content.last = std::max(content.last, touch.last);
    read = !writes;
  }
  variety.never_read += read ? 0 : 1;
  live(content.first, content.last);
}

std::vector<std::int64_t> occupied(const Touches& rows, Cycle total, Variety& variety) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(total) + 1);
  for (const auto& entry : rows) add_lives(entry.second, counts, variety);
  return counts;
}

std::vector<std::int64_t> expand(const Staircase& points, Cycle total) {
  std::vector<std::int64_t> counts;
  auto next = points.begin();
  StaircasePoint now;
  for (Cycle t = 0; t <= total; ++t) {
    if (next != points.end() && next->cycle == t) now = *next++;
    counts.push_back(now.at(t));
  }
  EXPECT_EQ(next, points.end()) << "points after the end of the run";
  return counts;
}

std::vector<std::int64_t> tiles(const MachineConfig& config, const Program& program,
                                const Timeline& timeline, Cycle total) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(total) + 1);
  std::size_t tile = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].unit() != Unit::kFetch) continue;
    const Cycle end = timeline.pushes.at(tile++) + config.array_rows;
    for (Cycle t = timeline.instructions[i].retired; t < end; ++t) {
      ++counts.at(static_cast<std::size_t>(t));
    }
  }
  return counts;
}

TEST(OccupancyTest, EqualsACountOfEveryRowInEveryCycleOnRandomPrograms) {
  Variety variety;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::race_free_machine(random);
    const testing::RaceFreeProgram made(config, random);
    const Program& program = made.program();
    ASSERT_NO_THROW(validate(program, config));
    const Timeline timeline = analytic_timeline(config, program);
    ASSERT_NO_THROW(check_hazards(config, program, timeline));
    const Cycle total = total_cycles(timeline);
    const NaiveTouches touches(config, program, timeline);

    const auto buffer = expand(buffer_occupancy(config, program, timeline), total);
    ASSERT_EQ(buffer, occupied(touches.buffer, total, variety));
    const auto sums = expand(accumulator_occupancy(config, program, timeline), total);
    ASSERT_EQ(sums, occupied(touches.accumulators, total, variety));
    const auto fifo = expand(fifo_occupancy(config, program, timeline), total);
    ASSERT_EQ(fifo, tiles(config, program, timeline, total));

    ASSERT_LE(std::ranges::max(buffer), static_cast<std::int64_t>(config.unified_buffer_rows()));
    ASSERT_LE(std::ranges::max(sums), std::int64_t{config.accumulator_rows});
    ASSERT_LE(std::ranges::max(fifo), std::int64_t{config.weight_fifo_tiles});
    for (const auto* counts : {&buffer, &sums, &fifo}) ASSERT_EQ(counts->back(), 0);
  }
  EXPECT_GT(variety.replaced, 1000);
  EXPECT_GT(variety.combined, 1000);
  EXPECT_GT(variety.added_lanes, 200);
  EXPECT_GT(variety.never_read, 1000);
}

TEST(OccupancyTest, RampsWhereRowsComeAndGoOneACycle) {
  MachineConfig config;  // 4 x 4, ideal memory
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  Matmul matmul;
  matmul.ub = contiguous_rows(0, 3);
  matmul.rows = 3;
  Vector vector;
  vector.rows = 3;
  vector.ub = 100;
  program.code = {{Load{0, 0, 5}, {}}, {Fetch{}, {}}, {matmul, {}}, {vector, {}}};
  const Timeline timeline{{{0, 1, 1}, {1, 2, 2}, {2, 10, 20}, {3, 30, 32}}, {5}};

  // The array reads rows 0 to 2 in cycles 10 to 12; nothing reads rows 3 and 4. Nothing reads the
  // vector unit's results, of 4 buffer rows each: each lives only in the cycle of its write.
  EXPECT_EQ(buffer_occupancy(config, program, timeline),
            (Staircase{{1, 5, 0}, {2, 3, 0}, {11, 2, -1}, {13, 0, 0}, {30, 4, 0}, {33, 0, 0}}));
  // The array writes from cycle 10 + R+C-1 = 17 on; the vector unit reads from cycle 30 on.
  EXPECT_EQ(accumulator_occupancy(config, program, timeline),
            (Staircase{{17, 1, 1}, {19, 3, 0}, {31, 2, -1}, {33, 0, 0}}));
  EXPECT_EQ(fifo_occupancy(config, program, timeline), (Staircase{{2, 1, 0}, {9, 0, 0}}));
}

TEST(OccupancyTest, ATileThatIsNeverPushedStaysToTheEnd) {
  const MachineConfig config;
  const Program program{4, 4, ElementType::kInt8, {}, {}, {{Fetch{}, {}}, {Load{0, 0, 1}, {}}}};
  const Timeline timeline{{{0, 1, 3}, {1, 2, 40}}, {}};
  EXPECT_EQ(fifo_occupancy(config, program, timeline), (Staircase{{3, 1, 0}, {41, 0, 0}}));
}

}  // namespace
}  // namespace weft
