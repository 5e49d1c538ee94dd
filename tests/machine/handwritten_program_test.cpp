// Programs written by hand. Checks the errors of every engine when dependences, buffers or waits
// are wrong.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>

#include "base/error.h"
#include "sim/isa/text/text.h"
#include "sim/simulate.h"

namespace weft {
namespace {

// 2x2, int8: a result row of two 32-bit words takes four UB rows of two bytes.
constexpr const char* kHeader = "weft 1\nmachine rows=2 cols=2 dtype=int8\n";

class OnesMemory : public HostMemory {
 public:
  void read_rows(std::uint64_t, std::span<std::byte> out) const override { ones(out); }
  void read_tile(std::uint64_t, std::span<std::byte> out) const override { ones(out); }
  void write_rows(std::uint64_t, std::span<const std::byte>) override { ++writes; }
  int writes = 0;

 private:
  static void ones(std::span<std::byte> out) { std::memset(out.data(), 1, out.size()); }
};

class HandwrittenProgramTest : public ::testing::TestWithParam<Engine> {
 protected:
  HandwrittenProgramTest() {
    config_.array_rows = 2;
    config_.array_cols = 2;
  }

  Result run(const std::string& code) {
    std::istringstream text(kHeader + code + "end\n");
    const Program program = assemble(text, "test.weft");
    return simulate(config_, program, &memory_, {GetParam(), 1, {}});
  }

  template <class Error>
  std::string error(const std::string& code) {
    try {
      run(code);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  MachineConfig config_;
  OnesMemory memory_;
};

TEST_P(HandwrittenProgramTest, RunsWhenEveryDependenceIsThere) {
  const Result result =
      run("load host=0 ub=0 rows=3\n"
          "fetch tile=0\n"
          "matmul ub=0 rows=3 acc=0 after=load:1\n"
          "vector acc=0 ub=8 rows=3 after=matmul:1\n"
          "store ub=8 host=0 rows=12 after=vector:1\n");
  EXPECT_EQ(result.ledger.sum(), result.total);
  EXPECT_EQ(memory_.writes, GetParam() == Engine::kAnalytic ? 0 : 1);
}

TEST_P(HandwrittenProgramTest, NamesTheRowThatAMatmulReadsTooEarly) {
  // The load transfers 8 bytes in cycles 2 to 9. The matmul starts already in cycle 4.
  config_.memory_kind = MemoryKind::kSplit;
  config_.memory_bytes_per_s = config_.clock_hz * 100;
  config_.host_bytes_per_s = config_.clock_hz;  // one byte per cycle
  EXPECT_EQ(error<HazardError>("fetch tile=0\n"
                               "load host=0 ub=6 rows=4\n"
                               "matmul ub=6 rows=3 acc=0\n"),
            "hazard in cycle 4: instruction 2 (matmul, test.weft:5) reads unified buffer row 6, "
            "which instruction 1 (load, test.weft:4) writes at the end of cycle 9");
}

TEST_P(HandwrittenProgramTest, NamesTheAccumulatorRowThatTheVectorUnitReadsTooEarly) {
  EXPECT_EQ(error<HazardError>("fetch tile=0\n"
                               "load host=0 ub=0 rows=3\n"
                               "matmul ub=0 rows=3 acc=5 after=load:1\n"
                               "vector acc=5 ub=8 rows=3\n"),
            "hazard in cycle 4: instruction 3 (vector, test.weft:6) reads accumulator row 5, which "
            "instruction 2 (matmul, test.weft:5) writes at the end of cycle 7");
}

TEST_P(HandwrittenProgramTest, NamesTheRowThatALoadOverwritesTooEarly) {
  // The first load has the channel in cycles 1..4 and retires in 7. So the second load comes before
  // the store, which waits for the first, and has cycles 5..8. The store has 9..12; its latency
  // adds 3.
  config_.memory_kind = MemoryKind::kShared;
  config_.memory_bytes_per_s = config_.clock_hz * 2;
  config_.memory_latency_cycles = 3;
  EXPECT_EQ(
      error<HazardError>("load host=0 ub=0 rows=4\n"
                         "# the store reads what the load brought\n"
                         "store ub=0 host=9 rows=4 after=load:1\n"
                         "load host=4 ub=0 rows=4\n"),
      "hazard in cycle 5: instruction 2 (load, test.weft:6) writes unified buffer row 0, which "
      "instruction 1 (store, test.weft:5) reads until cycle 15");
}

TEST_P(HandwrittenProgramTest, NamesAnAccumulatorRowThatNothingWrote) {
  EXPECT_EQ(
      error<HazardError>("fetch tile=0\n"
                         "load host=0 ub=0 rows=3\n"
                         "matmul ub=0 rows=3 acc=0 after=load:1\n"
                         "vector acc=1 ub=8 rows=3 after=matmul:1\n"),
      "hazard in cycle 12: instruction 3 (vector, test.weft:6) reads accumulator row 3, which "
      "no earlier instruction has written");
}

TEST_P(HandwrittenProgramTest, NamesTheFifoSlotThatIsFetchedOverTooEarly) {
  config_.weight_fifo_tiles = 1;
  EXPECT_EQ(
      error<HazardError>("fetch tile=0\n"
                         "fetch tile=1\n"
                         "load host=0 ub=0 rows=3\n"
                         "matmul ub=0 rows=3 acc=0 after=load:1\n"
                         "matmul ub=0 rows=3 acc=0 mode=accumulate\n"),
      "hazard in cycle 2: instruction 1 (fetch, test.weft:4) overwrites weight FIFO slot 0 of "
      "1, which holds the tile of instruction 0 (fetch, test.weft:3) until cycle 3; wait for "
      "the matmul that takes that tile");
}

TEST_P(HandwrittenProgramTest, NamesWhatACycleOfWaitsIsMadeOf) {
  EXPECT_EQ(error<DeadlockError>("load host=0 ub=0 after=store:1\n"
                                 "store ub=0 host=0 after=load:1\n"),
            "deadlock after cycle 0: nothing can ever start; instruction 0 (load, "
            "test.weft:3) waits for store:1 (only 0 retired); instruction 1 (store, test.weft:4) "
            "waits for load:1 (only 0 retired)");
}

TEST_P(HandwrittenProgramTest, NamesTheTileThatItsMatmulWaitsForInVain) {
  EXPECT_EQ(error<DeadlockError>("load host=0 ub=0 rows=3\n"
                                 "fetch tile=0\n"
                                 "fetch tile=1 after=matmul:2\n"
                                 "matmul ub=0 rows=3 acc=0 after=load:1\n"
                                 "matmul ub=0 rows=3 acc=0 mode=accumulate\n"),
            "deadlock after cycle 10: nothing can ever start; instruction 2 (fetch, "
            "test.weft:5) waits for matmul:2 (only 1 retired); instruction 4 (matmul, "
            "test.weft:7) waits for tile 1 of the weight FIFO");
}

TEST_P(HandwrittenProgramTest, NamesTheFullQueueThatStopsTheSequencer) {
  config_.queue_depth = 1;
  const std::string message = error<DeadlockError>(
      "load host=0 ub=0 after=store:1\n"
      "load host=0 ub=0\n"
      "store ub=0 host=0\n");
  EXPECT_NE(message.find("sequencer: instruction 1 (load, test.weft:4) waits for a free slot in "
                         "the load queue (sequencer.queue_depth = 1)"),
            std::string::npos)
      << message;
}

TEST_P(HandwrittenProgramTest, RefusesAProgramThatNeverFitsTheMachine) {
  EXPECT_NE(error<InputError>("load host=0 ub=4294967295 rows=3\n"), "no error");
  EXPECT_NE(error<InputError>("matmul ub=0 acc=0 weights=keep\n"), "no error");
  EXPECT_NE(error<InputError>("load host=0 ub=0 after=store:1\n"), "no error");
}

TEST_P(HandwrittenProgramTest, AnEmptyProgramTakesNoTime) {
  const Result result = run("");
  EXPECT_EQ(result.total, 0);
  EXPECT_EQ(result.array_span, 0);
  EXPECT_EQ(result.ledger.sum(), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, HandwrittenProgramTest,
                         ::testing::Values(Engine::kAnalytic, Engine::kFast, Engine::kTimed,
                                           Engine::kStepped),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

TEST(SimulateTest, EnginesThatComputeValuesNeedMemory) {
  const Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  EXPECT_THROW(simulate({}, program, nullptr, {Engine::kFast, 1, {}}), InputError);
}

}  // namespace
}  // namespace weft
