// Tests each hazard rule at its edge: blocked at t-1, allowed at t. Timelines are written by hand.
#include "sim/analysis/hazards/hazard_check.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "sim/isa/row_generator.h"

namespace weft {
namespace {

// R = 4, C = 3: a row that enters in cycle A is in the accumulators at the end of A + 4 + 2.
constexpr Cycle kToAccumulator = 4 + (3 - 1);

class HazardCheckTest : public ::testing::Test {
 protected:
  HazardCheckTest() {
    config_.array_rows = 4;
    config_.array_cols = 3;
    config_.weight_fifo_tiles = 2;
    config_.vector_latency_cycles = 2;
  }

  void add(const Operation& operation, Cycle started, Cycle retired) {
    program_.code.push_back({operation, {}});
    timeline_.instructions.push_back({0, started, retired});
  }

  static Matmul matmul(std::uint32_t ub, std::uint32_t rows, std::uint32_t acc, bool accumulate) {
    Matmul matmul;
    matmul.ub.base = ub;
    matmul.ub.loops[0] = {rows, 1};
    matmul.rows = rows;
    matmul.acc = acc;
    matmul.accumulate = accumulate;
    return matmul;
  }

  static Vector copy(std::uint32_t acc, std::uint32_t ub, std::uint32_t rows) {
    Vector vector;
    vector.acc = acc;
    vector.ub = ub;
    vector.rows = rows;
    return vector;
  }

  // Fills all rows that a test reads before the test begins.
  void fill_buffer() { add(Load{0, 0, 1000}, 0, 0); }

  // Copies the narrow buffer rows `row`, `row` + 1, ... to the rows from 600 on.
  static Vector from_buffer(std::uint32_t row, std::uint32_t rows) {
    Vector vector;
    vector.source = VectorSource{contiguous_rows(row, rows), RowFormat::kNarrow, {}, {}};
    vector.ub = 600;
    vector.rows = rows;
    vector.format = RowFormat::kNarrow;
    return vector;
  }

  static Cycle vector_duration(std::uint32_t rows) { return Cycle{rows} - 1 + 2 - 1; }

  std::string hazard() const {
    try {
      check_hazards(config_, program_, timeline_);
    } catch (const HazardError& error) {
      return error.what();
    }
    return "";
  }

  // The check fails when the last instruction starts at `open - 1` and passes at `open`.
  void expect_opens_at(Cycle open, Cycle duration) {
    InstructionTiming& last = timeline_.instructions.back();
    last.started = open - 1;
    last.retired = last.started + duration;
    EXPECT_NE(hazard(), "");
    last.started = open;
    last.retired = last.started + duration;
    EXPECT_EQ(hazard(), "");
  }

  MachineConfig config_;
  Program program_;
  Timeline timeline_;
};

TEST_F(HazardCheckTest, MatmulReadsARowTheCycleAfterItsLoadRetired) {
  add(Load{0, 8, 5}, 3, 9);
  add(matmul(8, 5, 0, false), 0, 0);
  expect_opens_at(9 + 1, 5 - 1 + kToAccumulator);
}

TEST_F(HazardCheckTest, MatmulMayStreamTheRowsBeforeTheOneThatIsStillLoading) {
  add(Load{0, 8, 4}, 1, 2);
  add(Load{4, 12, 1}, 3, 20);
  add(matmul(8, 5, 0, false), 0, 0);  // row 12 enters four cycles after the start
  expect_opens_at(20 + 1 - 4, 5 - 1 + kToAccumulator);
}

TEST_F(HazardCheckTest, VectorReadsARowTheCycleAfterItsAccumulatorWrite) {
  add(Load{0, 0, 5}, 0, 0);
  add(matmul(0, 5, 7, false), 10, 10 + 4 + kToAccumulator);
  add(copy(7, 100, 5), 0, 0);  // both walk one row per cycle, so the first row decides
  expect_opens_at(10 + kToAccumulator + 1, 5 - 1 + 2 - 1);
}

TEST_F(HazardCheckTest, MatmulOverwritesAnAccumulatorRowTheCycleAfterItWasRead) {
  add(Load{0, 0, 5}, 0, 0);
  add(matmul(0, 5, 0, false), 1, 1 + 4 + kToAccumulator);
  add(copy(0, 100, 5), 30, 30 + 4 + 1);
  add(matmul(0, 5, 0, false), 0, 0);
  expect_opens_at(30 + 1 - kToAccumulator, 5 - 1 + kToAccumulator);
}

TEST_F(HazardCheckTest, StoreReadsAResultTheCycleAfterTheVectorUnitWroteIt) {
  add(Load{0, 0, 1}, 0, 0);
  add(matmul(0, 1, 0, false), 1, 1 + kToAccumulator);
  add(copy(0, 100, 1), 20, 20 + 1);  // read in 20, readable in 22
  add(Store{100, 50, 3}, 0, 0);
  expect_opens_at(22, 4);
}

TEST_F(HazardCheckTest, VectorOverwritesAResultTheCycleAfterItsStoreRetired) {
  add(Load{0, 0, 1}, 0, 0);
  add(matmul(0, 1, 0, false), 1, 1 + kToAccumulator);
  add(copy(0, 100, 1), 20, 20 + 1);
  add(Store{100, 50, 3}, 25, 40);
  add(copy(0, 100, 1), 0, 0);  // writes one cycle after its start
  expect_opens_at(40 + 1 - 1, 1);
}

TEST_F(HazardCheckTest, LoadOverwritesARowTheCycleAfterItWasStreamed) {
  add(Load{0, 0, 5}, 0, 0);
  add(matmul(0, 5, 0, false), 10, 14 + kToAccumulator);
  add(Load{5, 2, 1}, 0, 0);  // row 2 was read in cycle 12
  expect_opens_at(12 + 1, 3);
}

TEST_F(HazardCheckTest, VectorReadsItsBiasTheCycleAfterItsLoadRetired) {
  add(Load{0, 0, 1}, 0, 0);
  add(matmul(0, 1, 0, false), 1, 1 + kToAccumulator);
  add(Load{1, 200, 3}, 2, 30);
  Vector biased = copy(0, 100, 1);
  biased.has_bias = true;
  biased.bias = 200;
  add(biased, 0, 0);
  expect_opens_at(31, 1);
}

// --- vector operands; L = 2, and a wide row takes three UB rows ---

TEST_F(HazardCheckTest, VectorReadsRowJOfItsSourceJCyclesAfterItsStart) {
  fill_buffer();
  add(Load{0, 12, 1}, 5, 20);
  add(from_buffer(10, 5), 0, 0);  // row 12 is read two cycles after the start
  expect_opens_at(20 + 1 - 2, vector_duration(5));
}

TEST_F(HazardCheckTest, VectorReadsAWideSourceRowAsOne) {
  fill_buffer();
  add(Load{0, 15, 1}, 5, 20);  // the last of the three UB rows of row 1
  Vector vector = from_buffer(10, 2);
  vector.source->format = RowFormat::kWide;
  vector.source->rows.loops[0] = {2, 3};
  add(vector, 0, 0);
  expect_opens_at(20 + 1 - 1, vector_duration(2));
}

TEST_F(HazardCheckTest, VectorReadsAllPlanesOfASourceRowAtOnce) {
  config_.array_cols = 6;
  fill_buffer();
  add(Load{0, 42, 1}, 5, 20);  // lanes 3 to 5 of row 2
  Vector vector = from_buffer(10, 4);
  vector.source->window = {1, 30};
  vector.window.plane = 30;
  add(vector, 0, 0);
  expect_opens_at(20 + 1 - 2, vector_duration(4));
}

TEST_F(HazardCheckTest, VectorDoesNotReadAPlaneOfWhichItComputesNoLane) {
  config_.array_cols = 6;
  fill_buffer();
  add(Load{0, 42, 1}, 5, 20);
  Vector vector = from_buffer(10, 4);
  vector.source->window = {1, 30};
  vector.window.plane = 30;
  vector.lanes = 3;  // elements 1 to 3 of the first plane
  add(vector, 6, 6 + vector_duration(4));
  EXPECT_EQ(hazard(), "");
}

TEST_F(HazardCheckTest, ASourceRowIsFreeTheCycleAfterItWasReadLast) {
  fill_buffer();
  Vector vector = from_buffer(10, 4);
  vector.source->rows.loops = {RowLoop{2, 1}, RowLoop{2, 0}};  // 10 11 10 11
  add(vector, 30, 30 + vector_duration(4));
  add(Load{0, 10, 1}, 0, 0);
  expect_opens_at(32 + 1, 3);
}

TEST_F(HazardCheckTest, TheReadThatComesLastCountsWhicheverOperandItIsOf) {
  fill_buffer();
  Vector vector = from_buffer(10, 4);
  vector.combine = VectorCombine::kAdd;
  vector.operand = VectorOperand{10, 0, RowFormat::kNarrow, {}, {}};  // row 10 in every cycle
  add(vector, 30, 30 + vector_duration(4));
  add(Load{0, 10, 1}, 0, 0);
  expect_opens_at(33 + 1, 3);
}

TEST_F(HazardCheckTest, AnEarlierReadOfTheSameInstructionDoesNotReplaceALaterOne) {
  config_.array_cols = 6;
  fill_buffer();
  Vector vector = from_buffer(10, 4);
  vector.source->window.plane = 3;  // row 13: first plane in cycle 33, second plane in cycle 30
  vector.window.plane = 30;
  add(vector, 30, 30 + vector_duration(4));
  add(Load{0, 13, 1}, 0, 0);
  expect_opens_at(33 + 1, 3);
}

TEST_F(HazardCheckTest, VectorReadsRowJOfItsSecondOperandJCyclesAfterItsStart) {
  fill_buffer();
  add(Load{0, 58, 1}, 5, 20);
  Vector vector = from_buffer(10, 4);
  vector.combine = VectorCombine::kAdd;
  vector.operand = VectorOperand{50, 3, RowFormat::kWide, {}, {}};  // row 2: UB rows 56 to 58
  add(vector, 0, 0);
  expect_opens_at(20 + 1 - 2, vector_duration(4));
}

TEST_F(HazardCheckTest, AModeReadsTheDestinationWhenItReadsTheRow) {
  fill_buffer();
  add(Load{0, 603, 1}, 5, 20);
  Vector vector = from_buffer(10, 4);
  vector.mode = VectorMode::kMax;
  add(vector, 0, 0);  // row 603 is read three cycles after the start, written one later
  expect_opens_at(20 + 1 - 3, vector_duration(4));
}

TEST_F(HazardCheckTest, WithoutAModeTheDestinationIsOnlyWritten) {
  fill_buffer();
  add(Load{0, 603, 1}, 5, 20);
  add(from_buffer(10, 4), 0, 0);
  expect_opens_at(20 + 1 - 3 - 1, vector_duration(4));
}

TEST_F(HazardCheckTest, AModeWritesTheDestinationLLater) {
  fill_buffer();
  add(Store{603, 50, 1}, 5, 20);
  Vector vector = from_buffer(10, 4);
  vector.mode = VectorMode::kAdd;
  add(vector, 0, 0);  // the store also reads row 603, so only the write conflicts
  expect_opens_at(20 + 1 - 3 - 1, vector_duration(4));
}

TEST_F(HazardCheckTest, AModeMayNotReadWhatNothingWrote) {
  add(Load{0, 0, 100}, 0, 0);
  Vector vector = from_buffer(10, 1);
  vector.mode = VectorMode::kAdd;
  add(vector, 10, 11);
  EXPECT_EQ(hazard(),
            "hazard in cycle 10: instruction 1 (vector) reads unified buffer row 600, which no "
            "earlier instruction has written");
}

TEST_F(HazardCheckTest, AnInstructionMayNotWriteWhatItReads) {
  fill_buffer();
  Vector vector = from_buffer(10, 4);
  vector.ub = 12;
  add(vector, 10, 10 + vector_duration(4));
  EXPECT_NE(hazard(), "");
}

TEST_F(HazardCheckTest, VectorWritesEveryPlaneOfAResultRowAtOnce) {
  config_.array_cols = 6;
  fill_buffer();
  Vector vector = from_buffer(10, 4);
  vector.source->window.plane = 30;
  vector.window = {1, 30};
  add(vector, 40, 40 + vector_duration(4));
  add(Store{632, 50, 1}, 0, 0);  // lanes 3 to 5 of row 2: readable in 40 + 2 + L
  expect_opens_at(44, 3);
}

TEST_F(HazardCheckTest, LanesThatAreNotFilledAreNotWritten) {
  config_.array_cols = 6;
  fill_buffer();
  Vector vector = from_buffer(10, 4);
  vector.source->window.plane = 30;
  vector.window = {1, 30};
  vector.lanes = 3;
  add(vector, 40, 40 + vector_duration(4));
  add(Store{632, 50, 1}, 40, 43);
  EXPECT_NE(hazard(), "");
  std::get<Vector>(program_.code[1].operation).fill = false;
  EXPECT_EQ(hazard(), "");
}

// --- fetches from the buffer ---

TEST_F(HazardCheckTest, AFetchReadsRowIOfTheBufferICyclesAfterItsStart) {
  fill_buffer();
  add(Load{0, 12, 1}, 5, 20);
  add(Fetch{0, BufferTile{.row = 10, .rows = 4, .lanes = 3}}, 0, 0);
  expect_opens_at(20 + 1 - 2, 3);
}

TEST_F(HazardCheckTest, AFetchReadsTheSecondPlaneAfterTheFirst) {
  fill_buffer();
  add(Load{0, 31, 1}, 5, 20);
  add(Fetch{0, BufferTile{.row = 10, .rows = 4, .lanes = 3, .window = {2, 20}}}, 0, 0);
  expect_opens_at(20 + 1 - (4 + 1), 7);
}

TEST_F(HazardCheckTest, LoadOverwritesARowTheCycleAfterAFetchReadIt) {
  fill_buffer();
  add(Fetch{0, BufferTile{.row = 10, .rows = 4, .lanes = 3}}, 30, 33);
  add(Load{0, 12, 1}, 0, 0);
  expect_opens_at(32 + 1, 3);
}

TEST_F(HazardCheckTest, AMatmulsReadDoesNotHideThatOfAnEarlierFetch) {
  fill_buffer();
  add(Fetch{0, BufferTile{.row = 10, .rows = 4, .lanes = 3}}, 30, 33);
  add(matmul(12, 1, 0, false), 20, 20 + kToAccumulator);
  add(Load{0, 12, 1}, 0, 0);
  expect_opens_at(32 + 1, 3);
}

TEST_F(HazardCheckTest, FetchTakesASlotOnceItsTileHasBeenPushed) {
  add(Fetch{0}, 1, 1);
  add(Fetch{1}, 2, 2);
  add(Fetch{2}, 0, 0);
  timeline_.pushes = {5};
  expect_opens_at(5 + 4, 0);
}

TEST_F(HazardCheckTest, LoadReadsAHostRowTheCycleAfterItsStoreRetired) {
  add(Load{0, 0, 1}, 0, 0);
  add(Store{0, 70, 1}, 2, 9);
  add(Load{70, 5, 1}, 0, 0);
  expect_opens_at(10, 3);
}

TEST_F(HazardCheckTest, NamesCycleInstructionsAndRow) {
  add(Load{0, 8, 5}, 3, 9);
  add(matmul(8, 5, 0, false), 4, 14);
  EXPECT_EQ(hazard(),
            "hazard in cycle 4: instruction 1 (matmul) reads unified buffer row 8, which "
            "instruction 0 (load) writes at the end of cycle 9");
}

TEST_F(HazardCheckTest, NamesTheLastCycleOfAReaderThatIsOverwritten) {
  add(Load{0, 8, 5}, 3, 9);
  add(Store{8, 50, 5}, 10, 40);
  add(Load{5, 12, 1}, 20, 22);
  EXPECT_EQ(hazard(),
            "hazard in cycle 20: instruction 2 (load) writes unified buffer row 12, which "
            "instruction 1 (store) reads until cycle 40");
}

TEST_F(HazardCheckTest, NamesFileAndLinesOfAProgramThatHasThem) {
  add(Load{0, 8, 5}, 3, 9);
  add(matmul(8, 5, 0, false), 4, 14);
  program_.source.file = "p.weft";
  program_.source.code_lines = {3, 17};
  EXPECT_EQ(
      hazard(),
      "hazard in cycle 4: instruction 1 (matmul, p.weft:17) reads unified buffer row 8, which "
      "instruction 0 (load, p.weft:3) writes at the end of cycle 9");
}

TEST_F(HazardCheckTest, ReadingWhatNothingWroteIsAHazard) {
  add(Load{0, 0, 5}, 0, 0);
  add(matmul(0, 2, 3, true), 1, 8);
  EXPECT_EQ(hazard(),
            "hazard in cycle 7: instruction 1 (matmul) reads accumulator row 3, which no "
            "earlier instruction has written");
}

TEST_F(HazardCheckTest, AMatmulMayAddToTheRowsOfTheOneBeforeIt) {
  add(Load{0, 0, 5}, 0, 0);
  add(matmul(0, 5, 0, false), 1, 11);
  add(matmul(0, 5, 0, true), 6, 16);
  EXPECT_EQ(hazard(), "");
}

}  // namespace
}  // namespace weft
