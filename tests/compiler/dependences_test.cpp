// Tests each kind of hazard alone. The counts are worked out by hand.
#include "compiler/program/dependences.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

// 4x4 int8: a result row has 16 bytes, four UB rows of 4 bytes.
MachineConfig machine(std::uint32_t fifo_tiles = 4) {
  MachineConfig config;
  config.weight_fifo_tiles = fifo_tiles;
  return config;
}

Matmul matmul(std::uint32_t ub, std::uint32_t rows, std::uint32_t acc, bool next = true) {
  Matmul op;
  op.ub.base = ub;
  op.ub.loops[0] = {rows, 1};
  op.rows = rows;
  op.acc = acc;
  op.next_weights = next;
  return op;
}

Vector vector(std::uint32_t acc, std::uint32_t rows, std::uint32_t ub) {
  Vector op;
  op.acc = acc;
  op.rows = rows;
  op.ub = ub;
  return op;
}

After after(std::initializer_list<std::pair<Unit, std::uint32_t>> counts) {
  After result;
  for (const auto& [unit, count] : counts) result[unit] = count;
  return result;
}

TEST(DependenceTrackerTest, FirstLoadAndFetchWaitForNothing) {
  DependenceTracker tracker(machine());
  EXPECT_EQ(tracker.add(Load{0, 0, 4}), After{});
  EXPECT_EQ(tracker.add(Fetch{0}), After{});
}

TEST(DependenceTrackerTest, MatmulWaitsForItsRowsAndNotForItsTile) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Load{4, 4, 4});
  tracker.add(Fetch{0});
  EXPECT_EQ(tracker.add(matmul(0, 4, 0)), after({{Unit::kLoad, 1}}));
}

TEST(DependenceTrackerTest, MatmulWaitsForTheLastOfTheLoadsItsRowsTouch) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Load{4, 4, 4});
  tracker.add(Fetch{0});
  EXPECT_EQ(tracker.add(matmul(3, 2, 0)), after({{Unit::kLoad, 2}}));
}

TEST(DependenceTrackerTest, MatmulThatReadsNoPaddingRowWaitsOnlyForRowsInside) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 1});
  tracker.add(Load{4, 1, 1});
  tracker.add(Fetch{0});
  Matmul op = matmul(0, 2, 0);
  op.ub.bounds[0] = {0, 1, 1};  // x = 1 is outside the image
  EXPECT_EQ(tracker.add(op), after({{Unit::kLoad, 1}}));
}

TEST(DependenceTrackerTest, LoadWaitsForTheMatmulThatStillReadsItsSlot) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0});
  tracker.add(matmul(0, 4, 0));
  EXPECT_EQ(tracker.add(Load{4, 0, 4}), after({{Unit::kMatmul, 1}}));
}

TEST(DependenceTrackerTest, LoadsIntoTheSameRowsAreOrdered) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  EXPECT_EQ(tracker.add(Load{4, 3, 4}), after({{Unit::kLoad, 1}}));
}

TEST(DependenceTrackerTest, MatmulsThatAddToTheSameAccumulatorsNeedNothing) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0});
  tracker.add(Fetch{1});
  tracker.add(matmul(0, 4, 0));
  Matmul second = matmul(0, 4, 0);
  second.accumulate = true;
  EXPECT_EQ(tracker.add(second), After{});
}

TEST(DependenceTrackerTest, VectorWaitsForItsMatmulAndTheNextMatmulThereForTheVector) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0});
  tracker.add(matmul(0, 4, 0));
  EXPECT_EQ(tracker.add(vector(0, 4, 16)), after({{Unit::kMatmul, 1}}));
  tracker.add(Fetch{1});
  EXPECT_EQ(tracker.add(matmul(0, 4, 4)), After{}) << "another region";
  EXPECT_EQ(tracker.add(matmul(0, 4, 2, false)), after({{Unit::kVector, 1}}));
}

TEST(DependenceTrackerTest, StoreWaitsForItsVectorAndTheNextVectorThereForTheStore) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0});
  tracker.add(matmul(0, 1, 0));
  tracker.add(vector(0, 1, 16));
  EXPECT_EQ(tracker.add(Store{16, 100, 4}), after({{Unit::kVector, 1}}));
  EXPECT_EQ(tracker.add(vector(0, 1, 19)), after({{Unit::kStore, 1}}));
  EXPECT_EQ(tracker.add(vector(0, 1, 23)), After{}) << "no instruction reads these rows";
}

TEST(DependenceTrackerTest, VectorWaitsForItsBiasEvenIfTheVectorUnitWroteIt) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 8, 4});
  Vector op = vector(0, 1, 16);
  op.has_bias = true;
  op.bias = 8;
  EXPECT_EQ(tracker.add(op), after({{Unit::kLoad, 1}}));
  op.bias = 16;
  op.ub = 32;
  EXPECT_EQ(tracker.add(op), after({{Unit::kVector, 1}}));
}

TEST(DependenceTrackerTest, LoadWaitsForTheStoreThatWroteItsHostRows) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Store{0, 4, 4});
  EXPECT_EQ(tracker.add(Load{7, 8, 1}), after({{Unit::kStore, 1}}));
}

TEST(DependenceTrackerTest, StoreWaitsForTheLoadThatReadsItsHostRowsAndTheStoreThatWroteThem) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  EXPECT_EQ(tracker.add(Store{0, 3, 4}), after({{Unit::kLoad, 1}}));
  EXPECT_EQ(tracker.add(Store{0, 6, 1}), after({{Unit::kStore, 1}}));
}

TEST(DependenceTrackerTest, FetchWaitsForTheMatmulThatEmptiedItsFifoSlot) {
  DependenceTracker tracker(machine(2));
  tracker.add(Load{0, 0, 4});
  EXPECT_EQ(tracker.add(Fetch{0}), After{});
  EXPECT_EQ(tracker.add(Fetch{1}), After{});
  tracker.add(matmul(0, 1, 0));
  tracker.add(matmul(0, 1, 1, false));
  EXPECT_EQ(tracker.add(Fetch{2}), after({{Unit::kMatmul, 1}}));
  tracker.add(matmul(0, 1, 2));
  EXPECT_EQ(tracker.add(Fetch{3}), after({{Unit::kMatmul, 3}}));
}

TEST(DependenceTrackerTest, LeavesOutWhatAnAwaitedInstructionWaitedFor) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0});
  tracker.add(matmul(0, 1, 0));  // waits for load 1
  tracker.add(vector(0, 1, 0));  // WAR and RAW on matmul 1 and WAW on load 1 are implied
  EXPECT_EQ(tracker.add(Store{0, 9, 4}), after({{Unit::kVector, 1}}));
  EXPECT_EQ(tracker.add(Load{4, 0, 4}), after({{Unit::kStore, 1}})) << "store implies vector";
}

TEST(DependenceTrackerTest, LeavesOutWhatAnEarlierInstructionOfTheQueueWaitedFor) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0});
  EXPECT_EQ(tracker.add(matmul(0, 1, 0)), after({{Unit::kLoad, 1}}));
  EXPECT_EQ(tracker.add(matmul(1, 3, 1, false)), After{});
}

/// A 4 x 8 machine, so that a narrow row of 8 lanes takes two UB rows.
MachineConfig two_plane_machine() {
  MachineConfig config = machine();
  config.array_cols = 8;
  return config;
}

/// Copies one narrow row.
Vector narrow_copy(std::uint32_t from, std::uint32_t to, std::uint32_t plane) {
  Vector op;
  op.source = VectorSource{.rows = contiguous_rows(from, 1), .window = {.plane = plane}};
  op.ub = to;
  op.format = RowFormat::kNarrow;
  op.window.plane = plane;
  return op;
}

TEST(DependenceTrackerTest, AFetchFromTheBufferWaitsForTheRowsOfItsTile) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Load{4, 4, 4});
  EXPECT_EQ(tracker.add(Fetch{0, BufferTile{.row = 0, .rows = 4, .lanes = 4}}),
            after({{Unit::kLoad, 1}}));
  EXPECT_EQ(
      tracker.add(Fetch{
          0, BufferTile{.row = 3, .rows = 1, .lanes = 2, .window = {.column = 3, .plane = 4}}}),
      after({{Unit::kLoad, 2}}))
      << "lane 1 lies in row 7";
  EXPECT_EQ(tracker.add(Load{8, 0, 1}), after({{Unit::kFetch, 1}})) << "write after read";
}

TEST(DependenceTrackerTest, AMatmulKnowsWhatTheFetchOfItsTileWaitedFor) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 4});
  tracker.add(Fetch{0, BufferTile{.row = 0, .rows = 4, .lanes = 4}});
  EXPECT_EQ(tracker.add(matmul(0, 4, 0)), After{}) << "the same rows as the fetched tile";
  tracker.add(Load{4, 4, 4});
  EXPECT_EQ(tracker.add(matmul(4, 4, 4, false)), after({{Unit::kLoad, 2}}));
}

TEST(DependenceTrackerTest, AVectorWithASourceWaitsForItsRowsAndForNoMatmul) {
  DependenceTracker tracker(machine());
  tracker.add(Load{0, 0, 2});
  tracker.add(Load{2, 2, 2});
  tracker.add(Fetch{0});
  tracker.add(matmul(2, 2, 0));
  EXPECT_EQ(tracker.add(narrow_copy(1, 20, 0)), after({{Unit::kLoad, 1}}));
  EXPECT_EQ(tracker.add(Load{4, 1, 1}), after({{Unit::kVector, 1}})) << "write after read";
}

TEST(DependenceTrackerTest, AVectorReadsTheRowsOfEveryPlaneAndNoneBetween) {
  DependenceTracker tracker(two_plane_machine());
  for (std::uint32_t row = 0; row < 6; ++row) tracker.add(Load{row, row, 1});
  EXPECT_EQ(tracker.add(narrow_copy(0, 20, 3)), after({{Unit::kLoad, 4}})) << "rows 0 and 3";
  Vector few = narrow_copy(1, 30, 4);
  few.lanes = 4;
  few.fill = false;
  EXPECT_EQ(tracker.add(few), After{}) << "row 1 alone, and not row 5";
  few.lanes = 5;
  EXPECT_EQ(tracker.add(few), after({{Unit::kLoad, 6}}));
}

TEST(DependenceTrackerTest, AVectorWritesTheRowsOfEveryPlaneItFills) {
  DependenceTracker tracker(two_plane_machine());
  Vector op = narrow_copy(0, 20, 10);
  op.lanes = 3;
  tracker.add(op);
  EXPECT_EQ(tracker.add(Store{30, 0, 1}), after({{Unit::kVector, 1}})) << "lanes 4..7 as zeros";
  op.fill = false;
  tracker.add(op);
  EXPECT_EQ(tracker.add(Store{30, 1, 1}), After{}) << "row 30 was not written again";
  EXPECT_EQ(tracker.add(Store{20, 9, 1}), after({{Unit::kVector, 2}}));
}

TEST(DependenceTrackerTest, AVectorWaitsForItsOperandAtEveryStep) {
  DependenceTracker tracker(machine());
  for (std::uint32_t row = 0; row < 12; ++row) tracker.add(Load{row, row, 1});
  Vector op = vector(0, 3, 40);
  op.combine = VectorCombine::kAdd;
  op.operand = VectorOperand{.row = 1, .step = 3, .format = RowFormat::kNarrow};
  EXPECT_EQ(tracker.add(op), after({{Unit::kLoad, 8}})) << "rows 1, 4 and 7";
  op.operand = VectorOperand{.row = 7, .step = 0};
  EXPECT_EQ(tracker.add(op), after({{Unit::kLoad, 11}})) << "a wide row is rows 7..10";
}

TEST(DependenceTrackerTest, AddingToTheDestinationReadsIt) {
  DependenceTracker tracker(machine());
  Vector first = narrow_copy(0, 20, 0);
  tracker.add(first);
  EXPECT_EQ(tracker.add(narrow_copy(1, 20, 0)), After{}) << "writes of one unit are in order";
  Vector second = narrow_copy(1, 20, 0);
  second.mode = VectorMode::kMax;
  EXPECT_EQ(tracker.add(second), after({{Unit::kVector, 2}}));
}

TEST(DependenceTrackerTest, RefusesATileThatWasNotFetched) {
  DependenceTracker tracker(machine());
  EXPECT_THROW(tracker.add(matmul(0, 1, 0)), InputError);
}

TEST(DependenceTrackerTest, RefusesAFetchIntoASlotThatNoMatmulEmpties) {
  DependenceTracker tracker(machine(1));
  tracker.add(Fetch{0});
  EXPECT_THROW(tracker.add(Fetch{1}), InputError);
}

}  // namespace
}  // namespace weft
