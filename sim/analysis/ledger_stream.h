// Classes every cycle of a run while it happens (docs/timing.md, "The ledger"). A matmul's waiting
// cycles, from the last row of the matmul before it to its own first row, are classed when nothing
// in them can change any more; the cycles after the last matmul when the run is over.
//
//   |-- rows --|........ wait ........|-- rows --|.. wait ..|-- rows --|...... tail ......| total
//    active     shift, stalls, idle    active                active     drain, vector, output
//
// What it holds is what waits for this: as many matmuls, pushes and vector instructions as the
// queues keep in flight.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/sliding_window.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/result.h"
#include "sim/timing/analytic_clock.h"
#include "sim/timing/array_timing.h"

namespace weft {

/// Intervals that a unit works in, oldest first. Overlapping and adjacent ones are joined.
class BusyIntervals {
 public:
  /// `begin` is not before the begin of the interval added last.
  void add(Interval cycles) {
    if (cycles.begin >= cycles.end) return;
    if (!intervals_.empty() && cycles.begin <= intervals_.back().end) {
      intervals_.back().end = std::max(intervals_.back().end, cycles.end);
    } else {
      intervals_.push_back(cycles);
    }
  }
  void forget_before(Cycle cycle) {
    while (!intervals_.empty() && intervals_.front().end <= cycle) intervals_.pop_front();
    if (!intervals_.empty()) {
      intervals_.front().begin = std::max(intervals_.front().begin, cycle);
    }
  }
  std::vector<Interval> all() const {
    std::vector<Interval> all;
    for (std::uint64_t i = intervals_.begin(); i < intervals_.end(); ++i) {
      all.push_back(intervals_[i]);
    }
    return all;
  }
  void visit(StateVisitor& visitor) {
    std::size_t size = intervals_.size();
    visitor.equal(size);
    for (std::uint64_t i = intervals_.begin(); i < intervals_.end(); ++i) {
      visitor.cycle(intervals_[i].begin);
      visitor.cycle(intervals_[i].end);
    }
  }

 private:
  SlidingWindow<Interval> intervals_;
};

/// `Sink` has add(class, interval) for each piece of a wait, of the rows after it, and of the tail;
/// begin(wait) before the pieces of a wait and end(wait) after them; begin_tail().
template <class Sink>
class LedgerStream {
 public:
  using Class = Cycle CycleLedger::*;

  LedgerStream(const MachineConfig& config, Sink& sink) : array_(config), sink_(sink) {}

  /// The next tile is pushed from `cycle` on.
  void push(Cycle cycle) { pushes_.push_back(cycle); }
  /// The next matmul starts.
  void wait(const MatmulWait& wait) { waits_.push_back(wait); }
  void vector(const InstructionTiming& timing) {
    vectors_.add({timing.started, timing.retired + 1});
  }
  void store(const InstructionTiming& timing) { stores_.add({timing.started, timing.retired + 1}); }

  /// Classes what comes before `frontier`: pushes and matmuls that were not told yet start later.
  void advance(Cycle frontier) {
    while (!waits_.empty() && waits_.front().started + waits_.front().rows <= frontier) {
      class_wait(waits_.front());
      waits_.pop_front();
    }
  }

  /// Classes the rest of the run, which has `total` cycles.
  void finish(Cycle total) {
    advance(std::numeric_limits<Cycle>::max());
    sink_.begin_tail();
    class_tail({streamed_until_, total});
  }

  void visit(StateVisitor& visitor) {
    visitor.cycle(streamed_until_);
    visitor.cycle(drained_);
    std::size_t waits = waits_.size();
    visitor.equal(waits);
    for (std::uint64_t i = waits_.begin(); i < waits_.end(); ++i) visit(visitor, waits_[i]);
    std::size_t pushes = pushes_.size();
    visitor.equal(pushes);
    for (std::uint64_t i = pushes_.begin(); i < pushes_.end(); ++i) visitor.cycle(pushes_[i]);
    vectors_.visit(visitor);
    stores_.visit(visitor);
  }

 private:
  void visit(StateVisitor& visitor, MatmulWait& wait) const {
    visitor.moving(StateVisitor::Scale::kProgram, wait.index);
    visitor.cycle(wait.started);
    visitor.equal(wait.rows);
    visitor.equal(wait.swaps);
    // What was over before the last row entered explains no waiting.
    for (Cycle* until :
         {&wait.tile_until, &wait.loads_until, &wait.vectors_until, &wait.drained_until}) {
      visitor.cycle(*until, *until <= streamed_until_);
    }
  }

  void class_wait(const MatmulWait& wait) {
    sink_.begin(wait);
    if (streamed_until_ < wait.started) {
      open_ = {{streamed_until_, wait.started}};
      take_pushes();
      if (wait.swaps) take_until(wait.tile_until, &CycleLedger::weight_stall);
      take_until(wait.loads_until, &CycleLedger::input_stall);
      take_until(wait.vectors_until, &CycleLedger::raw_stall);
      take_until(wait.drained_until, &CycleLedger::fill_drain);
      take_rest();
    }
    streamed_until_ = wait.started + wait.rows;
    drained_ = array_.retire(wait.started, wait.rows) + 1;
    sink_.add(&CycleLedger::array_active, {wait.started, streamed_until_});
    sink_.end(wait);
    while (!pushes_.empty() && pushes_.front() + array_.push() <= streamed_until_) {
      pushes_.pop_front();
    }
    vectors_.forget_before(streamed_until_);
    stores_.forget_before(streamed_until_);
  }

  void class_tail(Interval tail) {
    if (tail.begin >= tail.end) return;
    open_ = {tail};
    take_pushes();
    take_until(drained_, &CycleLedger::fill_drain);
    take_all(vectors_.all(), &CycleLedger::vector);
    take_all(stores_.all(), &CycleLedger::output);
    take_rest();
  }

  void take_all(const std::vector<Interval>& covers, Class to) {
    take(open_, std::span(covers), [&](Interval taken) { sink_.add(to, taken); });
  }
  void take_until(Cycle until, Class to) {
    if (!open_.empty() && open_.front().begin < until) take_all({{0, until}}, to);
  }
  void take_pushes() {
    covers_.clear();
    for (std::uint64_t i = pushes_.begin(); i < pushes_.end(); ++i) {
      if (pushes_[i] >= open_.back().end) break;
      covers_.push_back({pushes_[i], pushes_[i] + array_.push()});
    }
    take_all(covers_, &CycleLedger::weight_shift);
  }
  void take_rest() {
    for (const Interval& rest : open_) sink_.add(&CycleLedger::idle, rest);
  }

  const ArrayTiming array_;
  Sink& sink_;
  SlidingWindow<MatmulWait> waits_;
  SlidingWindow<Cycle> pushes_;  // that end after streamed_until_
  BusyIntervals vectors_;        // the same
  BusyIntervals stores_;
  Cycle streamed_until_ = 0;  // the cycle after the last row of the last classed matmul
  Cycle drained_ = 0;         // and after its last accumulator write
  std::vector<Interval> open_;
  std::vector<Interval> covers_;
};

}  // namespace weft
