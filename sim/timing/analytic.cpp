#include "sim/timing/analytic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/timing/analytic_clock.h"
#include "sim/timing/repetition.h"
#include "sim/timing/stall_report.h"
#include "sim/timing/unit_streams.h"

namespace weft {
namespace {

class TimelineRecorder final : public ClockObserver {
 public:
  explicit TimelineRecorder(std::size_t instructions) {
    timeline.instructions.resize(instructions);
  }

  void started(std::uint64_t index, Unit, const InstructionTiming& timing) override {
    timeline.instructions[index] = timing;
  }
  void pushed(Cycle cycle) override { timeline.pushes.push_back(cycle); }
  void waited(const MatmulWait&) override {}

  Timeline timeline;
};

class SilentObserver final : public ClockObserver {
 public:
  void started(std::uint64_t, Unit, const InstructionTiming&) override {}
  void pushed(Cycle) override {}
  void waited(const MatmulWait&) override {}
};

}  // namespace

DeadlockError stuck(Cycle last_retired) {
  return DeadlockError(fmt::format("deadlock after cycle {}: nothing can ever start",
                                   std::max<Cycle>(0, last_retired)));
}

DeadlockError stuck(const MachineConfig& config, const Program& program,
                    const RunProgress& progress, Cycle last_retired) {
  return DeadlockError(stall_report(config, program, UnitStreams(program), progress, last_retired));
}

Timeline analytic_timeline(const MachineConfig& config, const Program& program) {
  TimelineRecorder recorder(program.code.size());
  AnalyticClock clock(config, recorder);
  for (const Instruction& instruction : program.code) {
    if (!clock.accept(instruction))
      throw stuck(config, program, clock.progress(), clock.last_retired());
  }
  if (!clock.finish()) throw stuck(config, program, clock.progress(), clock.last_retired());
  return std::move(recorder.timeline);
}

std::vector<CriticalPath> critical_paths(const MachineConfig& config, const Program& program,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups) {
  SilentObserver observer;
  PathRecorder recorder;
  PathClock clock(config, observer, PathTimes(recorder));
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    recorder.begin_group(group_of[i]);
    if (!clock.accept(program.code[i])) {
      throw stuck(config, program, clock.progress(), clock.last_retired());
    }
  }
  if (!clock.finish()) throw stuck(config, program, clock.progress(), clock.last_retired());
  std::vector<CriticalPath> paths = recorder.paths(clock.last_done().node);
  paths.resize(groups);
  return paths;
}

CriticalPath critical_path(const MachineConfig& config, const Program& program) {
  const std::vector<std::uint32_t> group_of(program.code.size(), 0);
  return critical_paths(config, program, group_of, 1).front();
}

std::optional<Cycle> analytic_total(const MachineConfig& config, InstructionStream& stream,
                                    std::uint64_t& left, Cycle most) {
  SilentObserver observer;
  AnalyticClock clock(config, observer);
  RepetitionSkipper skipper(stream, [&](StateVisitor& visitor) {
    clock.visit(visitor);
    stream.visit(visitor);
  });
  std::vector<Instruction> instructions;
  while (stream.next(instructions)) {
    if (instructions.size() > left) return std::nullopt;
    left -= instructions.size();
    for (const Instruction& instruction : instructions) {
      if (!clock.accept(instruction)) throw stuck(clock.last_retired());
    }
    if (clock.last_retired() >= most) return std::nullopt;
    instructions.clear();
    skipper.skip();
  }
  if (!clock.finish()) throw stuck(clock.last_retired());
  if (clock.last_retired() >= most) return std::nullopt;
  return clock.last_retired() + 1;
}

}  // namespace weft
