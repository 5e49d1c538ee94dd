#include "sim/analysis/group_ledger.h"

#include <algorithm>

#include "sim/timing/array_timing.h"

namespace weft {

GroupLedger::GroupLedger(const MachineConfig& config)
    : config_(config), push_cycles_(ArrayTiming(config).push()) {}

// A tile that no matmul takes may begin to be pushed after the run; only the last one can.
std::vector<EventCounts> GroupLedger::events() const {
  std::vector<EventCounts> events = events_;
  if (last_push_.cycle > last_retired_) --events[last_push_.group].pushes;
  return events;
}

void GroupLedger::accepted(const Instruction& instruction) {
  if (group_ >= ledgers_.size()) {
    ledgers_.resize(group_ + std::size_t{1});
    events_.resize(group_ + std::size_t{1});
  }
  count_events(config_, instruction.operation, events_[group_]);
  GroupQueue& queue = queues_[instruction.unit()];
  ++queue.accepted;
  if (queue.runs.empty() || queue.runs.back().group != group_) queue.runs.push_back({group_});
  queue.runs.back().end = queue.accepted;
  if (instruction.opcode() == Opcode::kFetch) tiles_.push_back(group_);
}

void GroupLedger::dispatched(Cycle cycle) {
  if (dispatches_.empty() || dispatches_.back().group != group_) dispatches_.push_back({0, group_});
  dispatches_.back().cycle = cycle;
}

void GroupLedger::started(std::uint64_t index, Unit unit, const InstructionTiming& timing) {
  GroupQueue& queue = queues_[unit];
  if (queue.runs[queue.starting].end == queue.started) ++queue.starting;
  ++queue.started;
  GroupRun& run = queue.runs[queue.starting];
  if (run.started < 0) run.started = timing.started;
  run.retired = timing.retired;
  if (opcode_of(unit) == Opcode::kFetch) fetches_.push_back(timing.dispatched);
  // Of those that retire last, the first in the program.
  const bool later =
      timing.retired > last_retired_ || (timing.retired == last_retired_ && index < last_index_);
  if (!later) return;
  last_retired_ = timing.retired;
  last_index_ = index;
  last_group_ = run.group;
}

// A pushed tile belongs to the fetch that brought it.
void GroupLedger::pushed(Cycle cycle) {
  last_push_ = {cycle, tiles_.front()};
  ++events_[last_push_.group].pushes;
  pushes_.push_back(last_push_);
  tiles_.pop_front();
}

void GroupLedger::waiting(const MatmulWait&) {
  GroupQueue& queue = queues_[Unit::kMatmul];
  while (queue.runs.front().end <= streamed_) queue.forget_first();
  owner_ = queue.runs.front().group;
}

void GroupLedger::streamed(const MatmulWait& wait, const Matmul&, const CycleLedger&) {
  last_matmul_ = owner_;
  if (wait.swaps) fetches_.pop_front();
  ++streamed_;
  forget_before(wait.started + wait.rows);
}

// Cycles in which no unit works belong to the instruction that retires last.
void GroupLedger::tail() {
  owner_ = last_group_;
}

void GroupLedger::forget_before(Cycle cycle) {
  for (const Unit unit : kUnits) {
    if (opcode_of(unit) == Opcode::kMatmul) continue;  // waiting() does
    GroupQueue& queue = queues_[unit];
    while (queue.runs.size() > 1) {  // the last may go on
      const GroupRun& run = queue.runs.front();
      if (run.end > queue.started || run.retired >= cycle) break;
      queue.forget_first();
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
    give_retirements(ledger_class, Unit::kFetch, cycles);
  } else if (ledger_class == &CycleLedger::input_stall) {
    give_retirements(ledger_class, Unit::kLoad, cycles);
  } else if (ledger_class == &CycleLedger::raw_stall) {
    give_retirements(ledger_class, Unit::kVector, cycles);
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
    const GroupEvent& push = pushes_[i];
    if (push.cycle >= cycles.end) break;
    give(&CycleLedger::weight_shift, cycles, {push.cycle, push.cycle + push_cycles_}, push.group);
  }
}

// Until the fetch of the matmul's tile is dispatched, each cycle belongs to the instruction that
// the sequencer dispatches next. If the sequencer stalls on a full queue, this is the instruction
// for which the queue has no room.
void GroupLedger::give_dispatches(Interval cycles) {
  const Cycle fetch = fetches_.front();
  for (std::uint64_t i = dispatches_.begin(); i < dispatches_.end(); ++i) {
    const GroupEvent& next = dispatches_[i];
    give(&CycleLedger::weight_stall, cycles, {cycles.begin, std::min(next.cycle, fetch) + 1},
         next.group);
    if (next.cycle >= fetch) break;
  }
}

// Until the unit has retired what the matmul waits for, each cycle belongs to the instruction that
// it retires next. `cycles` end when that happens.
void GroupLedger::give_retirements(Cycle CycleLedger::*ledger_class, Unit unit, Interval cycles) {
  const GroupQueue& queue = queues_[unit];
  for (std::uint64_t i = queue.runs.begin(); i < queue.runs.end(); ++i) {
    const GroupRun& next = queue.runs[i];
    if (next.started < 0) break;
    give(ledger_class, cycles, {cycles.begin, next.retired + 1}, next.group);
  }
}

// If instructions of the unit overlap, a cycle belongs to the oldest. The unit works in all of
// `cycles`, so none of them lies between two instructions of a run.
void GroupLedger::give_busy(Cycle CycleLedger::*ledger_class, Unit unit, Interval cycles) {
  const GroupQueue& queue = queues_[unit];
  for (std::uint64_t i = queue.runs.begin(); i < queue.runs.end(); ++i) {
    const GroupRun& busy = queue.runs[i];
    if (busy.started < 0 || busy.started >= cycles.end) break;
    give(ledger_class, cycles, {busy.started, busy.retired + 1}, busy.group);
  }
}

}  // namespace weft
