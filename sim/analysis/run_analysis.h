// Times a program while its instructions arrive and computes everything in Result on the way,
// without holding the program or its timeline.
//
//                          +--> HazardCheck    in program order
//   accept --> AnalyticClock --> LedgerStream   in order of time
//                          +--> RunObserver    what a caller wants to see
#pragma once

#include <cstdint>
#include <vector>

#include "base/sliding_window.h"
#include "sim/analysis/hazards/hazard_check.h"
#include "sim/analysis/ledger_stream.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/run_state.h"
#include "sim/timing/analytic_clock.h"
#include "sim/timing/path_recorder.h"

namespace weft {

/// Sees a run while it happens. By default it looks at nothing.
class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;

  /// The program's next instruction, before it has times.
  virtual void accepted(const Instruction& instruction);
  /// It is dispatched in this cycle.
  virtual void dispatched(Cycle cycle);
  /// All times of the instruction at `index` in the program are known. Those of a unit come in
  /// their order.
  virtual void started(std::uint64_t index, Unit unit, const InstructionTiming& timing);
  /// The same in program order.
  virtual void timed(std::uint64_t index, const Instruction& instruction,
                     const InstructionTiming& timing);
  /// The next tile of the FIFO is pushed from `cycle` on.
  virtual void pushed(Cycle cycle);
  /// The cycles before the next matmul and while it streams are classed now, in some order.
  virtual void waiting(const MatmulWait& wait);
  virtual void classed(Cycle CycleLedger::*ledger_class, Interval cycles);
  /// It has streamed its rows; everything before their end is known. `ledger` counts
  /// the cycles before their end.
  virtual void streamed(const MatmulWait& wait, const Matmul& matmul, const CycleLedger& ledger);

  /// No matmul is left: the cycles up to the end of the run are classed now.
  virtual void tail();

  /// False while the observer must see every instruction: then no repetition is skipped.
  virtual bool may_skip() const { return true; }
  /// Shows what the observer has counted.
  virtual void visit(StateVisitor& visitor);
};

class RunAnalysis final : private ClockObserver {
 public:
  /// `name` is for messages. `config` and `observer` must outlive the analysis; `observer` may be
  /// null.
  RunAnalysis(const MachineConfig& config, HazardCheck::InstructionName name,
              RunObserver* observer);

  /// The instructions from here on belong to `group`, such as a layer, in paths().
  void begin_group(std::uint32_t group) { recorder_.begin_group(group); }
  /// The program's next instruction. Returns false if the machine is stuck.
  [[nodiscard]] bool accept(const Instruction& instruction);
  /// The program is complete. Returns false if the machine is stuck. Throws HazardError.
  [[nodiscard]] bool finish();
  /// After finish(): everything except the timeline and the compared cycles.
  const Result& result() const { return result_; }

  /// After finish(): the critical path by group. Groups without cycles at the end are missing.
  const std::vector<CriticalPath>& paths() const { return paths_; }

  const PathClock& clock() const { return clock_; }
  bool may_skip() const { return observer_ == nullptr || observer_->may_skip(); }
  void visit(StateVisitor& visitor);

 private:
  friend class LedgerStream<RunAnalysis>;

  /// An instruction whose times the hazard check has not seen yet.
  struct Pending {
    Instruction instruction;
    InstructionTiming timing = {};
    bool known = false;
  };

  // ClockObserver
  void started(std::uint64_t index, Unit unit, const InstructionTiming& timing) override;
  void pushed(Cycle cycle) override;
  void waited(const MatmulWait& wait) override;

  // The ledger's sink
  void begin(const MatmulWait& wait);
  void add(Cycle CycleLedger::*ledger_class, Interval cycles);
  void end(const MatmulWait& wait);
  void begin_tail();

  const MachineConfig& config_;
  RunObserver* const observer_;
  const ArrayTiming array_;
  PathRecorder recorder_;
  PathClock clock_;
  HazardCheck hazards_;
  LedgerStream<RunAnalysis> ledger_;
  SlidingWindow<Pending> pending_;
  SlidingWindow<Matmul> matmuls_;  // those that the ledger has not classed
  Cycle checked_until_ = -1;       // dispatch of the last instruction checked for hazards
  Cycle first_push_ = -1;
  Cycle last_push_ = -1;
  Cycle span_end_ = 0;             // the cycle after the last PE's last product
  CycleLedger outside_span_ = {};  // cycles before the first push and after the last product
  bool tail_ = false;
  std::vector<CriticalPath> paths_;
  Result result_;
};

}  // namespace weft
