#include "sim/timing/analytic.h"

#include "base/error.h"
#include "sim/timing/analytic_clock.h"
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

}  // namespace

DeadlockError stuck(const MachineConfig& config, const Program& program,
                    const AnalyticClock& clock) {
  return DeadlockError(
      stall_report(config, program, UnitStreams(program), clock.progress(), clock.last_retired()));
}

Timeline analytic_timeline(const MachineConfig& config, const Program& program) {
  TimelineRecorder recorder(program.code.size());
  AnalyticClock clock(config, recorder);
  for (const Instruction& instruction : program.code) {
    if (!clock.accept(instruction)) throw stuck(config, program, clock);
  }
  if (!clock.finish()) throw stuck(config, program, clock);
  return std::move(recorder.timeline);
}

}  // namespace weft
