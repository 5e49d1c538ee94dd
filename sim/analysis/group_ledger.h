// The ledger of a run by groups of its instructions, such as the layers of a network, while the run
// happens. Each cycle belongs to the instruction by which it is classed (docs/timing.md, "Whose
// cycle it is"). Keeps only the instructions that cycles not classed yet may belong to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/sliding_window.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/result.h"
#include "sim/analysis/run_analysis.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/timing/analytic_clock.h"

namespace weft {

class GroupLedger final : public RunObserver {
 public:
  explicit GroupLedger(const MachineConfig& config);

  /// The instructions from here on belong to `group`.
  void begin_group(std::uint32_t group) { group_ = group; }
  /// Entry g counts the cycles of group g; groups without instructions at the end are missing.
  const std::vector<CycleLedger>& ledgers() const { return ledgers_; }

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
  struct Entry {
    std::uint32_t group = 0;
    InstructionTiming timing = {};
  };
  struct Queue {
    SlidingWindow<Entry> entries;  // by position in the unit's queue
    std::uint64_t started = 0;     // of all, how many have times
  };
  /// Something that happens in `cycle` for an instruction of `group`.
  struct Event {
    Cycle cycle = 0;
    std::uint32_t group = 0;
  };

  void give(Cycle CycleLedger::*ledger_class, Interval cycles, Interval owned, std::uint32_t group);
  void give_dispatches(Interval cycles);
  void give_retirements(Cycle CycleLedger::*ledger_class, Unit unit, std::uint64_t count,
                        Interval cycles);
  void give_pushes(Interval cycles);
  void give_busy(Cycle CycleLedger::*ledger_class, Unit unit, Interval cycles);
  void forget_before(Cycle cycle);

  const Cycle push_cycles_;
  std::uint32_t group_ = 0;
  std::vector<CycleLedger> ledgers_;
  PerUnit<Queue> queues_;
  SlidingWindow<Event> dispatches_;
  SlidingWindow<Event> pushes_;
  SlidingWindow<std::uint32_t> tiles_;  // groups of the fetches whose tiles are not pushed yet

  MatmulWait wait_;  // the matmul whose cycles are being classed
  std::uint64_t tiles_taken_ = 0;
  std::uint32_t owner_ = 0;        // group of that matmul; in the tail, of the last to retire
  std::uint32_t last_matmul_ = 0;  // group of the matmul before it
  After after_ = {};               // of that matmul
  SlidingWindow<After> waits_;     // `after` counts of the matmuls not classed yet
  Cycle given_until_ = 0;          // end of the last cycles given
  Cycle last_retired_ = -1;        // over all instructions
  std::uint64_t last_index_ = 0;   // of the one that retired then
  std::uint32_t last_group_ = 0;
};

}  // namespace weft
