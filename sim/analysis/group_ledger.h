// The ledger and the events of a run by groups of its instructions, such as the layers of a
// network, while the run happens. Each cycle belongs to the instruction by which it is classed
// (docs/timing.md, "Whose cycle it is"). Keeps only what cycles not classed yet may belong to: one
// entry for the instructions of a unit that follow each other in one group, however many they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/sliding_window.h"
#include "sim/analysis/events.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/result.h"
#include "sim/analysis/run_analysis.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/timing/analytic_clock.h"

namespace weft {

class GroupLedger final : public RunObserver {
 public:
  /// `config` must outlive this.
  explicit GroupLedger(const MachineConfig& config);

  /// The instructions from here on belong to `group`.
  void begin_group(std::uint32_t group) { group_ = group; }
  /// Entry g counts the cycles of group g; groups without instructions at the end are missing.
  const std::vector<CycleLedger>& ledgers() const { return ledgers_; }
  /// After the run: the events of each group, in the same way. A push belongs to its tile's fetch.
  std::vector<EventCounts> events() const;

  // RunObserver
  void accepted(const Instruction& instruction) override;
  void dispatched(Cycle cycle) override;
  void started(std::uint64_t index, Unit unit, const InstructionTiming& timing) override;
  void pushed(Cycle cycle) override;
  void waiting(const MatmulWait& wait) override;
  void classed(Cycle CycleLedger::*ledger_class, Interval cycles) override;
  void streamed(const MatmulWait& wait, const Matmul& matmul, const CycleLedger& ledger) override;
  void tail() override;

 private:
  /// Instructions of one unit that follow each other and belong to one group, up to `end` in the
  /// unit's queue. Those that have times work from `started` to `retired`.
  struct GroupRun {
    std::uint32_t group = 0;
    std::uint64_t end = 0;
    Cycle started = -1;  // the first
    Cycle retired = -1;  // the last
  };
  struct GroupQueue {
    SlidingWindow<GroupRun> runs;
    std::uint64_t accepted = 0;
    std::uint64_t started = 0;
    std::uint64_t starting = 0;  // the run of the instruction that started last

    void forget_first() {
      runs.pop_front();
      starting = std::max(starting, runs.begin());
    }
  };
  /// Something that happens in `cycle` for an instruction of `group`.
  struct GroupEvent {
    Cycle cycle = 0;
    std::uint32_t group = 0;
  };

  void give(Cycle CycleLedger::*ledger_class, Interval cycles, Interval owned, std::uint32_t group);
  void give_dispatches(Interval cycles);
  void give_retirements(Cycle CycleLedger::*ledger_class, Unit unit, Interval cycles);
  void give_pushes(Interval cycles);
  void give_busy(Cycle CycleLedger::*ledger_class, Unit unit, Interval cycles);
  void forget_before(Cycle cycle);

  const MachineConfig& config_;
  const Cycle push_cycles_;
  std::uint32_t group_ = 0;
  std::vector<CycleLedger> ledgers_;
  std::vector<EventCounts> events_;
  GroupEvent last_push_ = {-1, 0};
  PerUnit<GroupQueue> queues_;
  SlidingWindow<GroupEvent> dispatches_;  // the last of each stretch that belongs to one group
  SlidingWindow<GroupEvent> pushes_;
  SlidingWindow<std::uint32_t> tiles_;  // groups of the fetches whose tiles are not pushed yet
  SlidingWindow<Cycle> fetches_;        // dispatch of those whose tiles no matmul has taken yet

  std::uint64_t streamed_ = 0;     // matmuls
  std::uint32_t owner_ = 0;        // group of the matmul whose cycles are being classed; in the
                                   // tail, of the last instruction to retire
  std::uint32_t last_matmul_ = 0;  // group of the matmul before it
  Cycle given_until_ = 0;          // end of the last cycles given
  Cycle last_retired_ = -1;        // over all instructions
  std::uint64_t last_index_ = 0;   // of the one that retired then
  std::uint32_t last_group_ = 0;
};

}  // namespace weft
