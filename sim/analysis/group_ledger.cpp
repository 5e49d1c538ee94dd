#include "sim/analysis/group_ledger.h"

#include <algorithm>

#include "sim/timing/array_timing.h"

namespace weft {

GroupLedger::GroupLedger(const MachineConfig& config) : push_cycles_(ArrayTiming(config).push()) {}

void GroupLedger::accepted(const Instruction& instruction) {
  if (group_ >= ledgers_.size()) ledgers_.resize(group_ + std::size_t{1});
  queues_[instruction.unit()].entries.push_back({group_, {}});
  if (instruction.opcode() == Opcode::kFetch) tiles_.push_back(group_);
  if (instruction.opcode() == Opcode::kMatmul) waits_.push_back(instruction.after);
}

void GroupLedger::dispatched(Cycle cycle) {
  dispatches_.push_back({cycle, group_});
}

void GroupLedger::started(std::uint64_t index, Unit unit, const InstructionTiming& timing) {
  Queue& queue = queues_[unit];
  Entry& entry = queue.entries[queue.started++];
  entry.timing = timing;
  // Of those that retire last, the first in the program.
  const bool later =
      timing.retired > last_retired_ || (timing.retired == last_retired_ && index < last_index_);
  if (!later) return;
  last_retired_ = timing.retired;
  last_index_ = index;
  last_group_ = entry.group;
}

// A pushed tile belongs to the fetch that brought it.
void GroupLedger::pushed(Cycle cycle) {
  pushes_.push_back({cycle, tiles_.front()});
  tiles_.pop_front();
}

void GroupLedger::waiting(const MatmulWait& wait) {
  wait_ = wait;
  owner_ = queues_[Unit::kMatmul].entries.front().group;
  after_ = waits_.front();
  if (wait.swaps) ++tiles_taken_;
}

void GroupLedger::streamed(const MatmulWait& wait, const Matmul&, const CycleLedger&) {
  last_matmul_ = owner_;
  queues_[Unit::kMatmul].entries.pop_front();
  waits_.pop_front();
  forget_before(wait.started + wait.rows);
}

// Cycles in which no unit works belong to the instruction that retires last.
void GroupLedger::tail() {
  owner_ = last_group_;
}

void GroupLedger::forget_before(Cycle cycle) {
  for (const Unit unit : kUnits) {
    if (opcode_of(unit) == Opcode::kMatmul) continue;  // streamed() does
    Queue& queue = queues_[unit];
    while (queue.entries.begin() < queue.started && queue.entries.front().timing.retired < cycle) {
      queue.entries.pop_front();
    }
  }
  while (!dispatches_.empty() && dispatches_.front().cycle < cycle) dispatches_.pop_front();
  while (!pushes_.empty() && pushes_.front().cycle + push_cycles_ <= cycle) pushes_.pop_front();
}

void GroupLedger::classed(Cycle CycleLedger::*ledger_class, Interval cycles) {
  if (cycles.begin >= cycles.end) return;
  given_until_ = cycles.begin;
  if (ledger_class == &CycleLedger::weight_shift) {
    give_pushes(cycles);
  } else if (ledger_class == &CycleLedger::weight_stall) {
    give_dispatches(cycles);
    give_retirements(ledger_class, Unit::kFetch, tiles_taken_, cycles);
  } else if (ledger_class == &CycleLedger::input_stall) {
    give_retirements(ledger_class, Unit::kLoad, after_[Unit::kLoad], cycles);
  } else if (ledger_class == &CycleLedger::raw_stall) {
    give_retirements(ledger_class, Unit::kVector, after_[Unit::kVector], cycles);
  } else if (ledger_class == &CycleLedger::vector) {
    give_busy(ledger_class, Unit::kVector, cycles);
  } else if (ledger_class == &CycleLedger::output) {
    give_busy(ledger_class, Unit::kStore, cycles);
  } else {
    const bool draining = ledger_class == &CycleLedger::fill_drain;
    give(ledger_class, cycles, cycles, draining ? last_matmul_ : owner_);
  }
}

/// Gives those of `cycles` that lie in `owned` and were not given yet.
void GroupLedger::give(Cycle CycleLedger::*ledger_class, Interval cycles, Interval owned,
                       std::uint32_t group) {
  const Cycle begin = std::max(owned.begin, given_until_);
  const Cycle end = std::min(owned.end, cycles.end);
  if (begin >= end) return;
  ledgers_[group].*ledger_class += end - begin;
  given_until_ = end;
}

void GroupLedger::give_pushes(Interval cycles) {
  for (std::uint64_t i = pushes_.begin(); i < pushes_.end(); ++i) {
    const Event& push = pushes_[i];
    if (push.cycle >= cycles.end) break;
    give(&CycleLedger::weight_shift, cycles, {push.cycle, push.cycle + push_cycles_}, push.group);
  }
}

// Until the fetch of the matmul's tile is dispatched, each cycle belongs to the instruction that
// the sequencer dispatches next. If the sequencer stalls on a full queue, this is the instruction
// for which the queue has no room.
void GroupLedger::give_dispatches(Interval cycles) {
  const Entry& fetch = queues_[Unit::kFetch].entries[tiles_taken_ - 1];
  for (std::uint64_t i = dispatches_.begin(); i < dispatches_.end(); ++i) {
    const Event& next = dispatches_[i];
    if (next.cycle > fetch.timing.dispatched) break;
    give(&CycleLedger::weight_stall, cycles, {cycles.begin, next.cycle + 1}, next.group);
  }
}

// Until the unit has retired `count` instructions, each cycle belongs to the instruction that it
// retires next.
void GroupLedger::give_retirements(Cycle CycleLedger::*ledger_class, Unit unit, std::uint64_t count,
                                   Interval cycles) {
  const SlidingWindow<Entry>& entries = queues_[unit].entries;
  for (std::uint64_t i = entries.begin(); i < count; ++i) {
    const Entry& next = entries[i];
    give(ledger_class, cycles, {cycles.begin, next.timing.retired + 1}, next.group);
  }
}

// If instructions of the unit overlap, a cycle belongs to the oldest.
void GroupLedger::give_busy(Cycle CycleLedger::*ledger_class, Unit unit, Interval cycles) {
  const Queue& queue = queues_[unit];
  for (std::uint64_t i = queue.entries.begin(); i < queue.started; ++i) {
    const Entry& busy = queue.entries[i];
    if (busy.timing.started >= cycles.end) break;
    give(ledger_class, cycles, {busy.timing.started, busy.timing.retired + 1}, busy.group);
  }
}

}  // namespace weft
