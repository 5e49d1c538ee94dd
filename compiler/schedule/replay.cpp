#include "compiler/schedule/replay.h"

#include "base/error.h"
#include "compiler/emit/emit_segment.h"
#include "sim/timing/analytic_clock.h"

namespace weft::compiler {
namespace {

class NoObserver final : public ClockObserver {
 public:
  void started(std::uint64_t, Unit, const InstructionTiming&) override {}
  void pushed(Cycle) override {}
  void waited(const MatmulWait&) override {}
};

/// Thrown through the emission, which has no other way to end early.
struct Abandoned {};

class ReplaySink final : public InstructionSink {
 public:
  ReplaySink(const MachineConfig& config, Cycle most) : clock_(config, observer_), most_(most) {}

  void add(const Instruction& instruction, std::uint32_t, const TileNumbers&) override {
    ++count_;
    check(clock_.accept(instruction));
    if (clock_.last_retired() >= most_) throw Abandoned{};
  }
  Replay finish() {
    check(clock_.finish());
    return so_far();
  }
  Replay so_far() const { return {clock_.last_retired() + 1, false, count_, std::nullopt}; }

 private:
  static void check(bool moves) {
    if (!moves) throw SimulationError("a compiled program waits for itself; this is a bug of weft");
  }

  NoObserver observer_;
  AnalyticClock clock_;
  const Cycle most_;
  std::uint64_t count_ = 0;
};

}  // namespace

Replay replay(const Segment& segment, const Schedule& schedule, const MachineConfig& config,
              Cycle most) {
  ReplaySink sink(config, most);
  try {
    const MachineStep step = emit_segment(segment, schedule, config, kMaxInstructions, sink);
    Replay cost = sink.finish();
    cost.staged_rows = step.staged_rows;
    return cost;
  } catch (const Abandoned&) {
    Replay cost = sink.so_far();
    cost.is_abandoned = true;
    return cost;
  }
}

}  // namespace weft::compiler
