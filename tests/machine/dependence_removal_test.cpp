// Every dependence that the compiler emits is needed, and the hazard check catches its absence.
//
// The contract gives no unit a speed. So a dependence is needed if the program without it breaks
// the hazard rule on some machine, however slow one of its units is. The first test builds that
// machine for each dependence: all instructions run as early as the remaining dependences and the
// queues allow, except that the awaited one is a million cycles late. The second test removes
// dependences on real machines.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/analysis/hazards/hazard_check.h"
#include "tests/machine/run_matmul.h"

namespace weft {
namespace {

using testing::Random;

constexpr Cycle kLate = 1'000'000;
constexpr std::uint32_t kNobody = ~0U;

// A schedule on an abstract machine with the given array. All but `late` run as soon as possible.
class AbstractSchedule {
 public:
  AbstractSchedule(const MachineConfig& config, const Program& program, std::uint32_t late)
      : rows_(config.array_rows), cols_(config.array_cols), latency_(config.vector_latency_cycles) {
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
      const Instruction& instruction = program.code[i];
      Cycle start = free_[index(instruction.unit())];
      for (std::size_t u = 0; u < kUnitCount; ++u) {
        const std::uint32_t count = instruction.after.count[u];
        if (count > 0) start = std::max(start, retired_[u].at(count - 1) + 1);
      }
      std::visit([&](const auto& op) { schedule(op, start, i == late ? kLate : 0); },
                 instruction.operation);
    }
  }
  const Timeline& timeline() const { return timeline_; }

 private:
  static std::size_t index(Unit unit) { return static_cast<std::size_t>(unit); }

  void record(Unit unit, Cycle start, Cycle busy, Cycle retired) {
    free_[index(unit)] = start + busy;
    retired_[index(unit)].push_back(retired);
    timeline_.instructions.push_back({0, start, retired});
  }
  void schedule(const Load&, Cycle start, Cycle delay) {
    record(Unit::kLoad, start + delay, 0, start + delay);
  }
  void schedule(const Fetch&, Cycle start, Cycle delay) {
    record(Unit::kFetch, start + delay, 0, start + delay);
  }
  void schedule(const Store&, Cycle start, Cycle delay) {
    record(Unit::kStore, start + delay, 0, start + delay);
  }
  void schedule(const Vector& vector, Cycle start, Cycle delay) {
    start += delay;
    record(Unit::kVector, start, vector.rows, start + vector.rows - 1 + latency_ - 1);
  }
  // A late matmul is late from its push on, as if its tile had arrived late.
  void schedule(const Matmul& matmul, Cycle start, Cycle delay) {
    start += delay;
    if (matmul.next_weights) {
      Cycle push = retired_[index(Unit::kFetch)].at(timeline_.pushes.size()) + 1;
      if (!timeline_.pushes.empty()) {
        push = std::max({push, timeline_.pushes.back() + rows_, last_swap_});
      }
      push += delay;
      timeline_.pushes.push_back(push);
      start = std::max(start, push + rows_);
      last_swap_ = start;
    }
    record(Unit::kMatmul, start, matmul.rows, start + matmul.rows - 1 + rows_ + cols_ - 1);
  }

  Cycle rows_;
  Cycle cols_;
  Cycle latency_;
  Cycle last_swap_ = 0;
  std::array<Cycle, kUnitCount> free_{};
  std::array<std::vector<Cycle>, kUnitCount> retired_;
  Timeline timeline_;
};

bool hazardous(const MachineConfig& config, const Program& program, std::uint32_t late) {
  try {
    check_hazards(config, program, AbstractSchedule(config, program, late).timeline());
  } catch (const HazardError&) {
    return true;
  }
  return false;
}

std::uint32_t nth_of_unit(const Program& program, std::size_t unit, std::uint32_t n) {
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].operation.index() == unit && n-- == 0) return i;
  }
  return kNobody;
}

// Calls function(program without one dependence, waiting instruction, awaited unit, awaited
// instruction).
template <class Function>
void for_each_removal(const Program& program, Function function) {
  Program changed = program;
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    for (std::size_t u = 0; u < kUnitCount; ++u) {
      const std::uint32_t count = program.code[i].after.count[u];
      if (count == 0) continue;
      changed.code[i].after.count[u] = count - 1;  // drops only the last awaited instruction
      function(changed, i, u, nth_of_unit(program, u, count - 1));
      changed.code[i].after.count[u] = count;
    }
  }
}

MachineConfig small_machine(Random& random) {
  MachineConfig config = testing::random_machine(random);
  config.array_rows = random.between(1, 5);
  config.array_cols = random.between(1, 5);
  config.dtype = ElementType::kInt8;
  config.unified_buffer_kib = random.between(1, 2);
  config.accumulator_rows = random.between(1, 24);
  return config;
}

MatmulSpec small_spec(Random& random) {
  return {random.between(1, 20), random.between(1, 16), random.between(1, 16), random.chance(50)};
}

TEST(DependenceRemovalTest, EveryDependenceOfACompiledProgramIsNeededAndItsAbsenceCaught) {
  std::array<std::array<int, kUnitCount>, kUnitCount> removed{};
  int programs = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = small_machine(random);
    const Program program = lower_matmul(plan_matmul(small_spec(random), config), config);
    ASSERT_FALSE(hazardous(config, program, kNobody));
    for_each_removal(program, [&](const Program& without, std::uint32_t waiter, std::size_t unit,
                                  std::uint32_t awaited) {
      ++removed[program.code[waiter].operation.index()][unit];
      EXPECT_TRUE(hazardous(config, without, awaited))
          << "instruction " << waiter << " need not wait for instruction " << awaited;
      EXPECT_FALSE(hazardous(config, program, awaited))
          << "instruction " << waiter << " is not protected against a late " << awaited;
    });
    ++programs;
  }
  EXPECT_EQ(programs, 120);
  const auto count = [&](Unit waiter, Unit awaited) {
    return removed[static_cast<std::size_t>(waiter)][static_cast<std::size_t>(awaited)];
  };
  EXPECT_GT(count(Unit::kMatmul, Unit::kLoad), 100);
  EXPECT_GT(count(Unit::kMatmul, Unit::kVector), 100);
  EXPECT_GT(count(Unit::kVector, Unit::kMatmul), 100);
  EXPECT_GT(count(Unit::kVector, Unit::kStore), 20);
  EXPECT_GT(count(Unit::kStore, Unit::kVector), 100);
  EXPECT_GT(count(Unit::kLoad, Unit::kMatmul), 100);
  EXPECT_GT(count(Unit::kFetch, Unit::kMatmul), 100);
}

// Removes dependences on the engines too. With realistic memories the removals cause HazardErrors,
// and all engines give the same message.
TEST(DependenceRemovalTest, EnginesCatchRemovalsOnRealMachines) {
  std::map<std::pair<std::size_t, std::size_t>, int> caught;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = small_machine(random);
    const MatmulSpec spec = small_spec(random);
    const Program program = lower_matmul(plan_matmul(spec, config), config);
    const auto operands = testing::random_operands(spec, config.dtype, true, random);
    for_each_removal(program, [&](const Program& without, std::uint32_t waiter, std::size_t unit,
                                  std::uint32_t) {
      std::array<std::string, 4> messages;
      for (const Engine engine :
           {Engine::kAnalytic, Engine::kFast, Engine::kTimed, Engine::kStepped}) {
        try {
          testing::run_matmul(config, without, operands, engine);
        } catch (const HazardError& error) {
          messages[static_cast<std::size_t>(engine)] = error.what();
        }
      }
      EXPECT_EQ(messages[0], messages[1]);
      EXPECT_EQ(messages[0], messages[2]);
      EXPECT_EQ(messages[0], messages[3]);
      if (!messages[0].empty()) ++caught[{program.code[waiter].operation.index(), unit}];
    });
  }
  const auto count = [&](Unit waiter, Unit awaited) {
    return caught[{static_cast<std::size_t>(waiter), static_cast<std::size_t>(awaited)}];
  };
  EXPECT_GT(count(Unit::kMatmul, Unit::kLoad), 0);
  EXPECT_GT(count(Unit::kVector, Unit::kMatmul), 0);
  EXPECT_GT(count(Unit::kStore, Unit::kVector), 0);
  EXPECT_GT(count(Unit::kLoad, Unit::kMatmul), 0);
  EXPECT_GT(count(Unit::kFetch, Unit::kMatmul), 0);
}

}  // namespace
}  // namespace weft
