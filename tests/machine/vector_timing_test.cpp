// Tests the timing of vector instructions and fetches from the buffer, to the cycle: starts and
// retirements against formulas, and for each access the first cycle in which the engines allow it,
// with the resulting bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "sim/isa/row_generator.h"
#include "sim/simulate.h"
#include "tests/machine/rows_memory.h"

namespace weft {
namespace {

constexpr std::uint32_t kSpareRow = 240;
constexpr Cycle kLatency = 3;  // L

/// On an ideal memory without waits, the instruction dispatched in cycle i starts in i+1. Loads of
/// a spare row fill the cycles in between.
class Schedule {
 public:
  Schedule() {
    program_.array_rows = 4;
    program_.array_cols = 4;
    at(1, Load{0, 0, kSpareRow});
  }

  void at(Cycle start, const Operation& operation) {
    while (static_cast<Cycle>(program_.code.size()) + 1 < start) {
      program_.code.push_back({Load{0, kSpareRow, 1}, {}});
    }
    program_.code.push_back({operation, {}});
  }

  /// Adds an operation that waits for all earlier ones.
  void then(const Operation& operation) {
    After after;
    for (const Instruction& instruction : program_.code) ++after[instruction.unit()];
    program_.code.push_back({operation, after});
  }

  const Program& program() const { return program_; }
  std::size_t last() const { return program_.code.size() - 1; }

 private:
  Program program_;
};

MachineConfig machine() {
  MachineConfig config;  // 4 x 4, int8, ideal memory, 1024 UB rows
  config.vector_latency_cycles = static_cast<std::uint32_t>(kLatency);
  config.queue_depth = 64;
  return config;
}

Vector narrow_copy(std::uint32_t from, std::uint32_t to, std::uint32_t rows) {
  Vector vector;
  vector.source = VectorSource{contiguous_rows(from, rows), RowFormat::kNarrow, {}, {}};
  vector.ub = to;
  vector.rows = rows;
  vector.format = RowFormat::kNarrow;
  return vector;
}

Fetch tile_of(std::uint32_t row, std::uint32_t rows) {
  return {0, BufferTile{.row = row, .rows = rows, .lanes = 4}};
}

class BufferFetchTimingTest : public ::testing::TestWithParam<Engine> {
 protected:
  Timeline run(const MachineConfig& config, const Program& program) const {
    testing::RowsMemory memory(config.row_bytes());
    return simulate(config, program, &memory, {GetParam(), 1, {}}).timeline;
  }
};

TEST_P(BufferFetchTimingTest, ReadsOneRowACycleAndIsPushedInTheNext) {
  for (const std::uint32_t rows : {1U, 2U, 4U}) {
    Schedule schedule;
    schedule.at(5, tile_of(0, rows));
    const std::size_t fetch = schedule.last();
    Matmul matmul;
    matmul.ub = contiguous_rows(0, 1);
    schedule.then(matmul);
    const Timeline timeline = run(machine(), schedule.program());
    EXPECT_EQ(timeline.instructions[fetch].started, 5);
    EXPECT_EQ(timeline.instructions[fetch].retired, 5 + Cycle{rows} - 1);
    EXPECT_EQ(timeline.pushes.at(0), 5 + Cycle{rows});
  }
}

TEST_P(BufferFetchTimingTest, ReadsThePlanesOneAfterTheOther) {
  Schedule schedule;
  Fetch fetch = tile_of(0, 3);
  fetch.buffer->window = {1, 50};  // lane 3 lies in the second plane
  schedule.at(5, fetch);
  const Timeline timeline = run(machine(), schedule.program());
  EXPECT_EQ(timeline.instructions[schedule.last()].retired, 5 + 2 * 3 - 1);
}

TEST_P(BufferFetchTimingTest, WaitsForThePortThatTheOneBeforeItReadsThrough) {
  for (const Cycle wanted : {6, 8, 9, 11}) {
    Schedule schedule;
    schedule.at(5, tile_of(0, 4));
    schedule.at(wanted, tile_of(0, 2));
    const Timeline timeline = run(machine(), schedule.program());
    const Cycle start = std::max<Cycle>(wanted, 5 + 4);
    EXPECT_EQ(timeline.instructions[schedule.last()].started, start);
    EXPECT_EQ(timeline.instructions[schedule.last()].retired, start + 2 - 1);
  }
}

TEST_P(BufferFetchTimingTest, ATileFromMemoryDoesNotPassTheOneBeforeIt) {
  for (const Cycle wanted : {6, 8, 9}) {
    Schedule schedule;
    schedule.at(5, tile_of(0, 4));
    schedule.at(wanted, Fetch{});
    const Timeline timeline = run(machine(), schedule.program());
    EXPECT_EQ(timeline.instructions[schedule.last()].started, wanted);
    EXPECT_EQ(timeline.instructions[schedule.last()].retired, std::max<Cycle>(wanted, 5 + 4 - 1));
  }
}

// On a shared channel, the fetch from the buffer neither waits for the channel nor holds it.
TEST_P(BufferFetchTimingTest, UsesNoChannel) {
  MachineConfig config = machine();
  config.memory_kind = MemoryKind::kShared;
  config.memory_bytes_per_s = config.clock_hz;  // one byte per cycle
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  program.code.push_back({Load{0, 0, 4}, {}});    // cycles 1 to 16
  program.code.push_back({Load{0, 100, 1}, {}});  // cycles 17 to 20
  program.code.push_back({tile_of(0, 4), {}});
  program.code.back().after[Unit::kLoad] = 1;
  program.code.push_back({Load{0, 104, 1}, {}});
  const Timeline timeline = run(config, program);
  EXPECT_EQ(timeline.instructions[1].started, 17);
  EXPECT_EQ(timeline.instructions[2].started, 17);
  EXPECT_EQ(timeline.instructions[2].retired, 20);
  EXPECT_EQ(timeline.instructions[3].started, 21);
}

TEST_P(BufferFetchTimingTest, AVectorInstructionOfAnyOperandsTakesOneCycleARow) {
  Vector vector = narrow_copy(0, 100, 5);
  vector.combine = VectorCombine::kAdd;
  vector.operand = VectorOperand{20, 1, RowFormat::kNarrow, {}, {}};
  vector.mode = VectorMode::kMax;
  vector.reduce = VectorReduce::kSum;
  vector.op = VectorOp::kRelu;
  Schedule schedule;
  schedule.at(5, vector);
  schedule.at(6, narrow_copy(0, 120, 1));
  const Timeline timeline = run(machine(), schedule.program());
  const std::size_t first = schedule.last() - 1;
  EXPECT_EQ(timeline.instructions[first].retired, 5 + 5 - 1 + kLatency - 1);
  EXPECT_EQ(timeline.instructions[first + 1].started, 5 + 5);
}

INSTANTIATE_TEST_SUITE_P(Engines, BufferFetchTimingTest,
                         ::testing::Values(Engine::kAnalytic, Engine::kFast, Engine::kTimed,
                                           Engine::kStepped),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

// --- the first allowed cycle of each access, and the resulting bits ---

struct Outcome {
  bool hazard = false;
  std::map<std::uint64_t, std::vector<std::byte>> rows;
};

Outcome outcome(const Program& program, Engine engine) {
  const MachineConfig config = machine();
  testing::RowsMemory memory(config.row_bytes());
  try {
    simulate(config, program, &memory, {engine, 1, {}});
  } catch (const HazardError&) {
    return {true, {}};
  }
  return {false, memory.rows};
}

/// `earlier` starts in cycle 10. `later` may start in cycle `open` but not one cycle earlier. The
/// program multiplies the buffer rows by the fetched tiles and stores the results.
void expect_opens_at(Cycle open, const Operation& earlier, const Operation& later) {
  for (const Cycle start : {open - 1, open}) {
    SCOPED_TRACE(::testing::Message() << "starts in " << start);
    Schedule schedule;
    schedule.at(10, earlier);
    schedule.at(start, later);
    const bool fetches =
        std::holds_alternative<Fetch>(earlier) || std::holds_alternative<Fetch>(later);
    Matmul matmul;
    matmul.ub = contiguous_rows(0, 4);
    matmul.rows = 4;
    if (!fetches) schedule.then(Fetch{});
    schedule.then(matmul);
    schedule.then(Vector{.acc = 0, .ub = 220, .rows = 4});
    schedule.then(Store{0, 1000, 240});
    const Outcome analytic = outcome(schedule.program(), Engine::kAnalytic);
    const Outcome fast = outcome(schedule.program(), Engine::kFast);
    const Outcome timed = outcome(schedule.program(), Engine::kTimed);
    const Outcome stepped = outcome(schedule.program(), Engine::kStepped);
    EXPECT_EQ(analytic.hazard, start < open);
    EXPECT_EQ(fast.hazard, start < open);
    EXPECT_EQ(stepped.hazard, start < open);
    EXPECT_EQ(timed.hazard, start < open);
    EXPECT_EQ(fast.rows, timed.rows);
    EXPECT_EQ(fast.rows, stepped.rows);
  }
}

TEST(AccessEdgeTest, AFetchFollowsTheResultsOfTheVectorUnitRowByRow) {
  expect_opens_at(10 + kLatency, narrow_copy(0, 100, 4), tile_of(100, 4));
}

TEST(AccessEdgeTest, AResultMayReplaceARowInTheCycleAfterTheFetchReadIt) {
  // Row 103 is read in cycle 13. A result of one row is written at the end of V + L - 1.
  expect_opens_at(14 - (kLatency - 1), tile_of(100, 4), narrow_copy(0, 103, 1));
}

TEST(AccessEdgeTest, ALoadMayReplaceARowInTheCycleAfterTheFetchReadIt) {
  expect_opens_at(14, tile_of(100, 4), Load{300, 103, 1});
}

TEST(AccessEdgeTest, ASourceFollowsTheResultsOfTheInstructionBeforeIt) {
  expect_opens_at(10 + kLatency, narrow_copy(0, 100, 1), narrow_copy(100, 110, 1));
}

TEST(AccessEdgeTest, AModeReadsItsDestinationWhenTheRowIsRead) {
  Vector vector = narrow_copy(0, 100, 1);
  vector.mode = VectorMode::kAdd;
  expect_opens_at(10 + kLatency, narrow_copy(4, 100, 1), vector);
}

TEST(AccessEdgeTest, AnOperandOfAllRowsIsReadUntilTheLast) {
  Vector vector = narrow_copy(0, 100, 4);
  vector.combine = VectorCombine::kMul;
  vector.operand = VectorOperand{50, 0, RowFormat::kNarrow, {}, {}};
  expect_opens_at(14, vector, Load{300, 50, 1});
}

TEST(AccessEdgeTest, ASteppingOperandReleasesItsRowsOneByOne) {
  Vector vector = narrow_copy(0, 100, 4);
  vector.combine = VectorCombine::kMul;
  vector.operand = VectorOperand{50, 2, RowFormat::kNarrow, {}, {}};
  expect_opens_at(13, vector, Load{300, 54, 1});
}

TEST(AccessEdgeTest, APlaneOfTheResultIsReadableWithTheOthers) {
  Vector vector = narrow_copy(0, 100, 2);
  vector.window = {1, 20};  // lane 3 of row 1 goes to UB row 121
  expect_opens_at(11 + kLatency, vector, Load{300, 121, 1});
}

}  // namespace
}  // namespace weft
