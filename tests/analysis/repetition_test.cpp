// Each kind of number in a state, at the edge between repeating and not repeating; and a stream
// whose state is known at every pass.
#include "sim/timing/repetition.h"

#include <gtest/gtest.h>

#include <functional>

#include "sim/timing/channel_clock.h"

namespace weft {
namespace {

using Scale = StateVisitor::Scale;

constexpr auto kVector = StateVisitor::of_unit(Unit::kVector);
constexpr StateVisitor::Units kMatmulBit = 1U << static_cast<unsigned>(Unit::kMatmul);
constexpr StateVisitor::Units kVectorBit = 1U << static_cast<unsigned>(Unit::kVector);

/// Records a state in which cycle and matmuls have moved to `cycle` and `matmuls`, and no other
/// unit has begun an instruction.
void show_state(StateRecord& record, std::int64_t cycle, std::int64_t matmuls,
                const std::function<void(StateVisitor&)>& more) {
  record.origin(Scale::kCycle, cycle);
  record.origin(StateVisitor::of_unit(Unit::kMatmul), matmuls);
  std::int64_t vectors = 0;
  record.origin(kVector, vectors);
  more(record);
}

bool repeats(const std::function<void(StateVisitor&)>& before,
             const std::function<void(StateVisitor&)>& after) {
  StateRecord earlier;
  StateRecord later;
  show_state(earlier, 100, 10, before);
  show_state(later, 130, 13, after);
  return later.repeats(earlier);
}

template <class Show>
bool repeats(std::int64_t before, std::int64_t after, Show show) {
  return repeats([&](StateVisitor& visitor) { show(visitor, before); },
                 [&](StateVisitor& visitor) { show(visitor, after); });
}

TEST(StateRecordTest, EqualNumbersMustNotChange) {
  const auto show = [](StateVisitor& visitor, std::int64_t value) { visitor.equal(value); };
  EXPECT_TRUE(repeats(7, 7, show));
  EXPECT_FALSE(repeats(7, 8, show));
}

TEST(StateRecordTest, TotalsMayChange) {
  EXPECT_TRUE(repeats(7, 99, [](StateVisitor& v, std::int64_t value) { v.total(value); }));
}

TEST(StateRecordTest, CyclesMoveWithTheClock) {
  const auto show = [](StateVisitor& visitor, std::int64_t value) { visitor.cycle(value); };
  EXPECT_TRUE(repeats(90, 120, show));
  EXPECT_FALSE(repeats(90, 119, show));
  EXPECT_FALSE(repeats(90, 90, show));
}

TEST(StateRecordTest, SettledCyclesMayStay) {
  const auto show = [](StateVisitor& visitor, std::int64_t value) { visitor.cycle(value, true); };
  EXPECT_TRUE(repeats(90, 120, show));
  EXPECT_TRUE(repeats(90, 90, show));
  EXPECT_FALSE(repeats(90, 91, show));
}

TEST(StateRecordTest, CountsMoveWithTheirUnit) {
  const auto matmuls = [](StateVisitor& visitor, std::int64_t value) {
    visitor.moving(StateVisitor::of_unit(Unit::kMatmul), value);
  };
  EXPECT_TRUE(repeats(5, 8, matmuls));
  EXPECT_FALSE(repeats(5, 5, matmuls));
  const auto vectors = [](StateVisitor& visitor, std::int64_t value) {
    visitor.moving(kVector, value);
  };
  EXPECT_TRUE(repeats(5, 5, vectors));
  EXPECT_FALSE(repeats(5, 6, vectors));
}

TEST(StateRecordTest, ACountMayStayIfTheUnitsAtWorkKnowIt) {
  const auto settled_for = [](StateVisitor::Units units) {
    return [units](StateVisitor& visitor, std::int64_t value) {
      visitor.moving(StateVisitor::of_unit(Unit::kMatmul), value, units);
    };
  };
  EXPECT_TRUE(repeats(5, 5, settled_for(kMatmulBit)));
  EXPECT_FALSE(repeats(5, 5, settled_for(kVectorBit)));
}

TEST(StateRecordTest, StatesWithDifferentPartsDoNotRepeat) {
  const auto nothing = [](StateVisitor&) {};
  const auto one = [](StateVisitor& visitor) {
    int value = 3;
    visitor.equal(value);
  };
  const auto total = [](StateVisitor& visitor) {
    int value = 3;
    visitor.total(value);
  };
  EXPECT_FALSE(repeats(nothing, one));
  EXPECT_FALSE(repeats(one, nothing));
  EXPECT_FALSE(repeats(total, one));
  EXPECT_TRUE(repeats(one, one));
}

/// A loop of `passes` passes with one instruction each. A pass takes `cycles_of(pass)` cycles; from
/// pass `regular` on, the loop repeats.
class Loop final : public InstructionStream {
 public:
  Loop(std::uint64_t passes, std::function<std::int64_t(std::uint64_t)> cycles_of,
       std::uint64_t regular = 0)
      : passes_(passes), regular_(regular), cycles_of_(std::move(cycles_of)) {}

  bool next(std::vector<Instruction>& instructions) override {
    if (pass_ == passes_) return false;
    cycle_ += cycles_of_(pass_++);
    instructions.push_back({Load{}, {}});
    ++replayed_;
    return true;
  }
  bool begins_pass(std::size_t loop) const override { return loop == 1; }
  Position position() const override { return {pass_}; }
  std::uint64_t repetitions(std::size_t, const Position& earlier) const override {
    return pass_ == earlier[0] || earlier[0] < regular_ ? 0
                                                        : (passes_ - pass_) / (pass_ - earlier[0]);
  }
  void visit(StateVisitor& visitor) override {
    visitor.origin(Scale::kCycle, cycle_);
    visitor.origin(Scale::kProgram, pass_);
    visitor.cycle(last_);
    last_ = cycle_;
    auto length = static_cast<std::int64_t>(cycles_of_(pass_));
    visitor.equal(length);
  }

  std::int64_t run() {
    RepetitionSkipper skipper(*this, [&](StateVisitor& visitor) { visit(visitor); });
    std::vector<Instruction> instructions;
    while (next(instructions)) skipper.skip();
    skipped = skipper.skipped_instructions();
    EXPECT_EQ(replayed_ + skipped, passes_);
    return cycle_;
  }

  std::uint64_t skipped = 0;

 private:
  const std::uint64_t passes_;
  const std::uint64_t regular_;
  const std::function<std::int64_t(std::uint64_t)> cycles_of_;
  std::uint64_t pass_ = 0;
  std::uint64_t replayed_ = 0;
  std::int64_t cycle_ = 0;
  std::int64_t last_ = 0;
};

TEST(RepetitionSkipperTest, ALoopOfEqualPassesIsSkipped) {
  Loop loop(1'000'000'000, [](std::uint64_t) { return 7; });
  EXPECT_EQ(loop.run(), 7'000'000'000);
  EXPECT_GT(loop.skipped, 999'999'900U);
}

TEST(RepetitionSkipperTest, APeriodOfSeveralPassesIsFound) {
  // 3, 4, 5, 3, 4, 5, .. after ten passes of 9 cycles.
  const auto cycles = [](std::uint64_t pass) -> std::int64_t {
    return pass < 10 ? 9 : 3 + static_cast<std::int64_t>(pass % 3);
  };
  Loop loop(3'000'001, cycles, 10);
  std::int64_t expected = 0;
  for (std::uint64_t pass = 0; pass < 3'000'001; ++pass) expected += cycles(pass);
  EXPECT_EQ(loop.run(), expected);
  EXPECT_GT(loop.skipped, 2'900'000U);
}

TEST(RepetitionSkipperTest, NothingIsSkippedIfNoPassIsLikeAnother) {
  Loop loop(1'000, [](std::uint64_t pass) { return 1 + static_cast<std::int64_t>(pass); });
  EXPECT_EQ(loop.run(), 1'000 * 1'001 / 2);
  EXPECT_EQ(loop.skipped, 0U);
}

TEST(RepetitionSkipperTest, NoStateIsMovedToTheLastCycleOrBeyond) {
  Loop loop(5'000, [](std::uint64_t) { return kMaxCycle / 1'000; });
  loop.run();
  EXPECT_LT(loop.skipped, 1'000U);
}

}  // namespace
}  // namespace weft
