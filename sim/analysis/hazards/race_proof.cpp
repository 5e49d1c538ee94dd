#include "sim/analysis/hazards/race_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/analysis/hazards/hazard_check.h"
#include "sim/isa/program_source.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/transfers.h"

namespace weft {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

/// All instructions but `late` start as soon as possible; that one `delay` cycles after it could.
class AbstractSchedule {
 public:
  AbstractSchedule(const MachineConfig& config, const Program& program)
      : config_(config), program_(program), array_(config) {}

  Timeline make(std::size_t late, Cycle delay) {
    free_ = {};
    for (auto& retired : retired_) retired.clear();
    last_swap_ = 0;
    timeline_ = {};
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      const Instruction& instruction = program_.code[i];
      const Cycle start = earliest(i, instruction);
      const Cycle late_by = i == late ? delay : 0;
      std::visit([&](const auto& operation) { schedule(operation, start, late_by); },
                 instruction.operation);
    }
    return std::move(timeline_);
  }

 private:
  Cycle earliest(std::size_t i, const Instruction& instruction) const {
    Cycle start = free_[instruction.unit()];
    for (const Unit unit : kUnits) {
      const std::uint32_t count = instruction.after[unit];
      if (count == 0) continue;
      if (count > retired_[unit].size()) {
        throw InputError(
            fmt::format("{} waits for an instruction that follows it in the program; only programs "
                        "whose instructions wait for earlier ones can be proved",
                        instruction_name(program_, i)));
      }
      start = std::max(start, retired_[unit][count - 1] + 1);
    }
    return start;
  }

  void record(Unit unit, Cycle start, Cycle busy, Cycle retired) {
    auto& earlier = retired_[unit];
    if (!earlier.empty()) retired = std::max(retired, earlier.back());  // a unit retires in order
    free_[unit] = start + busy;
    earlier.push_back(retired);
    timeline_.instructions.push_back({0, start, retired});
  }

  void schedule(const Load&, Cycle start, Cycle delay) {
    record(Unit::kLoad, start + delay, 0, start + delay);
  }

  void schedule(const Store&, Cycle start, Cycle delay) {
    record(Unit::kStore, start + delay, 0, start + delay);
  }

  // A fetch from the unified buffer reads one row per cycle, and the next fetch waits for it.
  void schedule(const Fetch& fetch, Cycle start, Cycle delay) {
    const Cycle reads = buffer_read_cycles(Operation(fetch), config_);
    start += delay;
    record(Unit::kFetch, start, reads, start + std::max<Cycle>(reads, 1) - 1);
  }

  void schedule(const Vector& vector, Cycle start, Cycle delay) {
    start += delay;
    record(Unit::kVector, start, vector.rows, vector_retire(start, vector.rows, config_));
  }

  // A late matmul is late from its push on, as if its tile had arrived late.
  void schedule(const Matmul& matmul, Cycle start, Cycle delay) {
    start += delay;
    if (matmul.next_weights) {
      const std::size_t tile = timeline_.pushes.size();
      Cycle push = retired_[Unit::kFetch].at(tile) + 1;
      if (tile > 0) push = std::max({push, timeline_.pushes.back() + array_.push(), last_swap_});
      push += delay;
      timeline_.pushes.push_back(push);
      start = std::max(start, push + array_.push());
      last_swap_ = start;
    }
    record(Unit::kMatmul, start, matmul.rows, array_.retire(start, matmul.rows));
  }

  const MachineConfig& config_;
  const Program& program_;
  const ArrayTiming array_;
  Cycle last_swap_ = 0;
  PerUnit<Cycle> free_;  // when each unit may start its next instruction
  PerUnit<std::vector<Cycle>> retired_;
  Timeline timeline_;
};

/// A tile that no fetch before its matmul brings can never be pushed.
void check_fetches(const Program& program) {
  std::size_t fetched = 0;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const auto* matmul = std::get_if<Matmul>(&program.code[i].operation);
    if (program.code[i].unit() == Unit::kFetch) ++fetched;
    if (matmul == nullptr || !matmul->next_weights) continue;
    if (++taken <= fetched) continue;
    throw InputError(fmt::format("{} takes a tile that only a later fetch brings",
                                 instruction_name(program, i)));
  }
}

Cycle last_retirement(const Timeline& timeline) {
  Cycle last = 0;
  for (const InstructionTiming& timing : timeline.instructions)
    last = std::max(last, timing.retired);
  return last;
}

}  // namespace

std::optional<PossibleRace> find_possible_race(const MachineConfig& config, const Program& program,
                                               const std::function<void(double)>& progress) {
  check_fetches(program);
  AbstractSchedule schedule(config, program);
  // Later than everything takes that does not wait for the late instruction.
  const Cycle delay = 2 * last_retirement(schedule.make(kNobody, 0)) + 1;
  for (std::size_t late = 0; late < program.code.size(); ++late) {
    if (progress) {
      progress(static_cast<double>(late) / static_cast<double>(program.code.size()));
    }
    try {
      check_hazards(config, program, schedule.make(late, delay));
    } catch (const HazardError& error) {
      return PossibleRace{late, error.what()};
    }
  }
  return std::nullopt;
}

}  // namespace weft
