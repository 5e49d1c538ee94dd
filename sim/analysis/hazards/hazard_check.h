// Checks that a run was free of races. If two instructions touch the same row and at least one of
// them writes it, their accesses must happen in program order. Then time order equals program order
// for every row, so `fast` may compute values in program order.
//
// In cycles: a row written at the end of cycle w is readable from w+1. A row read in cycle r is
// free for a new value from r+1. If the first push of a tile is in cycle W, its FIFO slot is free
// from W+R. The check covers the rows of the unified buffer, the accumulators and host memory.
// Source: docs/timing.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "base/sliding_window.h"
#include "sim/analysis/hazards/row_history.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/isa/row_access.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Takes the instructions of a run in program order, with their times, and the pushes as they
/// become known. Keeps the last accesses to each row, and what waits for the push of its tile.
class HazardCheck {
 public:
  /// What a message calls instruction `index`.
  using InstructionName = std::function<std::string(std::uint64_t index)>;

  /// `config` must outlive the check.
  HazardCheck(const MachineConfig& config, InstructionName name);

  /// The next tile of the FIFO is pushed from `cycle` on.
  void pushed(Cycle cycle);
  /// The program's next instruction. After the first one that breaks the rule, the others are
  /// ignored.
  void check(const Operation& operation, const InstructionTiming& timing);
  /// Forgets accesses to host rows that no later instruction can collide with, because it is
  /// dispatched after the cycle `dispatched`.
  void forget_before(Cycle dispatched) { memory(RowMemory::kHost).forget_sometimes(dispatched); }
  /// Throws HazardError for the first instruction, in program order, that broke the rule. Pushes
  /// from cycle `total` on never happen: the run is over.
  void finish(Cycle total);

  /// Shows the state; every later instruction is dispatched after the cycle `dispatched`.
  void visit(StateVisitor& visitor, Cycle dispatched);

 private:
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

  /// A fetch that needs the slot of an earlier tile.
  struct SlotUse {
    std::uint64_t fetch = 0;  // index in the program
    std::uint64_t evicts = 0;
    std::uint64_t tile = 0;
    Cycle started = 0;
    Cycle pushed = kNever;  // the evicted tile
  };

  RowHistory& memory(RowMemory which) { return memories_[static_cast<std::size_t>(which)]; }
  void check_slot();
  void decide(SlotUse use);

  void check(const RowAccess& access, Unit unit);
  Access in_cycles(const RowAccess& access) const;
  std::optional<Conflict> record(const RowAccess& access, const Access& in_time, Unit unit);
  void fail(const Conflict& conflict, RowMemory memory, const Access& access);
  std::string slot_message(const SlotUse& use, Cycle total) const;

  const MachineConfig& config_;
  const InstructionName name_;
  const ArrayTiming array_;
  std::uint64_t index_ = 0;  // of the instruction being checked, or the next one
  InstructionTiming timing_ = {};
  SlidingWindow<std::uint64_t> fetches_;  // program indices of those whose slots are in use
  SlidingWindow<Cycle> pushes_;           // of the tiles in these slots
  SlidingWindow<SlotUse> undecided_;      // the evicted tile's push is not known yet
  // Only host rows hold values from the beginning.
  std::array<RowHistory, 3> memories_{RowHistory(true), RowHistory(false), RowHistory(false)};
  std::string row_failure_;  // of instruction index_
  std::optional<SlotUse> slot_failure_;
};

/// Throws HazardError for the first instruction, in program order, that breaks the rule. The
/// message names cycle, instruction, unit and row, and the instruction with which it collides.
void check_hazards(const MachineConfig& config, const Program& program, const Timeline& timeline);

}  // namespace weft
