#include "sim/analysis/ledger.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sim/analysis/intervals.h"
#include "sim/analysis/ledger_stream.h"
#include "sim/analysis/summary.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/unit_streams.h"

namespace weft {
namespace {

/// What a sink must have besides add(), doing nothing.
struct PiecesOnly {
  void begin(const MatmulWait&) {}
  void end(const MatmulWait&) {}
  void begin_tail() {}
};

/// Counts the cycles by class and window.
class Windows : public PiecesOnly {
 public:
  explicit Windows(std::span<const Cycle> boundaries)
      : boundaries_(boundaries), ledgers_(boundaries.empty() ? 0 : boundaries.size() - 1) {}

  void add(Cycle CycleLedger::*ledger_class, Interval cycles) {
    // Start at the last window that begins at or before the cycles, after any empty windows.
    auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), cycles.begin);
    if (next != boundaries_.begin()) --next;
    auto window = static_cast<std::size_t>(next - boundaries_.begin());
    for (; window < ledgers_.size() && boundaries_[window] < cycles.end; ++window) {
      const Cycle begin = std::max(cycles.begin, boundaries_[window]);
      const Cycle end = std::min(cycles.end, boundaries_[window + 1]);
      if (begin < end) ledgers_[window].*ledger_class += end - begin;
    }
  }

  std::vector<CycleLedger> ledgers() && { return std::move(ledgers_); }

 private:
  std::span<const Cycle> boundaries_;
  std::vector<CycleLedger> ledgers_;
};

/// Counts the cycles by class and by group of the instruction to which they belong.
class Groups {
 public:
  Groups(std::span<const std::uint32_t> group_of, std::size_t groups)
      : group_of_(group_of), ledgers_(groups) {}

  void add(Cycle CycleLedger::*ledger_class, Interval cycles, std::uint32_t owner) {
    if (cycles.begin >= cycles.end) return;
    ledgers_[group_of_[owner]].*ledger_class += cycles.end - cycles.begin;
  }

  std::vector<CycleLedger> ledgers() && { return std::move(ledgers_); }

 private:
  std::span<const std::uint32_t> group_of_;
  std::vector<CycleLedger> ledgers_;
};

/// Collects the cycles as spans with their classes.
class Spans : public PiecesOnly {
 public:
  void add(Cycle CycleLedger::*ledger_class, Interval cycles) {
    if (cycles.begin >= cycles.end) return;
    const auto found = std::ranges::find(kLedgerClasses, ledger_class, &LedgerClass::cycles);
    const auto index = static_cast<std::size_t>(found - kLedgerClasses.begin());
    spans_.push_back({index, cycles.begin, cycles.end});
  }

  std::vector<LedgerSpan> spans() && {
    std::ranges::sort(spans_, {}, &LedgerSpan::begin);
    std::vector<LedgerSpan> merged;
    for (const LedgerSpan& span : spans_) {
      if (!merged.empty() && merged.back().ledger_class == span.ledger_class) {
        merged.back().end = span.end;
      } else {
        merged.push_back(span);
      }
    }
    return merged;
  }

 private:
  std::vector<LedgerSpan> spans_;
};

/// Disjoint intervals in order, each with the instruction to which its cycles belong.
class OwnedIntervals {
 public:
  /// Adds the cycles from the end of the last interval, or from `begin` if that is later, to `end`.
  void add_until(Cycle begin, Cycle end, std::uint32_t owner) {
    if (!intervals_.empty()) begin = std::max(begin, intervals_.back().end);
    if (begin >= end) return;
    intervals_.push_back({begin, end});
    owners_.push_back(owner);
  }

  std::span<const Interval> intervals() const { return intervals_; }
  std::uint32_t owner(std::size_t i) const { return owners_[i]; }

 private:
  std::vector<Interval> intervals_;
  std::vector<std::uint32_t> owners_;
};

/// Feeds a complete timeline to a LedgerStream.
template <class Sink>
class TimelineLedger {
 public:
  TimelineLedger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                 Sink& sink)
      : config_(config),
        program_(program),
        timeline_(timeline),
        streams_(program),
        array_(config),
        stream_(config, sink) {}

  void build(Cycle total) {
    for (const Cycle push : timeline_.pushes) stream_.push(push);
    for (const std::uint32_t i : streams_[Unit::kVector]) stream_.vector(timings()[i]);
    for (const std::uint32_t i : streams_[Unit::kStore]) stream_.store(timings()[i]);
    for (std::uint32_t k = 0; k < streams_[Unit::kMatmul].size(); ++k) stream_.wait(wait(k));
    stream_.finish(total);
  }

 private:
  const std::vector<InstructionTiming>& timings() const { return timeline_.instructions; }

  /// The cycle from which on the unit has retired `count` instructions.
  Cycle retired_by(Unit unit, std::uint32_t count) const {
    return count == 0 ? 0 : timings()[streams_[unit][count - 1]].retired + 1;
  }

  MatmulWait wait(std::uint32_t k) {
    const std::uint32_t index = streams_[Unit::kMatmul][k];
    const auto& matmul = std::get<Matmul>(program_.code[index].operation);
    const After& after = program_.code[index].after;
    MatmulWait wait;
    wait.index = index;
    wait.started = timings()[index].started;
    wait.rows = matmul.rows;
    wait.swaps = matmul.next_weights;
    if (wait.swaps) wait.tile_until = retired_by(Unit::kFetch, ++tiles_);
    wait.loads_until = retired_by(Unit::kLoad, after[Unit::kLoad]);
    wait.vectors_until = retired_by(Unit::kVector, after[Unit::kVector]);
    if (wait.swaps && !config_.double_buffer && k > 0) wait.drained_until = empty_after(k - 1);
    return wait;
  }

  Cycle empty_after(std::uint32_t k) const {
    const std::uint32_t index = streams_[Unit::kMatmul][k];
    const auto& matmul = std::get<Matmul>(program_.code[index].operation);
    return array_.empty(timings()[index].started, matmul.rows);
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const UnitStreams streams_;
  const ArrayTiming array_;
  LedgerStream<Sink> stream_;
  std::uint32_t tiles_ = 0;
};

/// Finds the instruction to which a classed cycle belongs.
class OwnedGroups {
 public:
  OwnedGroups(const MachineConfig& config, const Program& program, const Timeline& timeline,
              Groups& groups)
      : program_(program),
        timeline_(timeline),
        streams_(program),
        push_cycles_(ArrayTiming(config).push()),
        groups_(groups) {}

  void begin(const MatmulWait& wait) {
    matmul_ = static_cast<std::uint32_t>(wait.index);
    after_ = &program_.code[matmul_].after;
    if (wait.swaps) ++tiles_;
  }
  void end(const MatmulWait&) { last_matmul_ = matmul_; }
  void begin_tail() { matmul_ = last_retired(); }

  void add(Cycle CycleLedger::*ledger_class, Interval cycles) {
    const OwnedIntervals owners = owners_of(ledger_class, cycles);
    std::vector<Interval> open = {cycles};
    std::size_t i = 0;
    take(open, owners.intervals(), [&](Interval taken) {
      while (owners.intervals()[i].end <= taken.begin) ++i;
      groups_.add(ledger_class, taken, owners.owner(i));
    });
  }

 private:
  /// Covers the cycles, which all have the class.
  OwnedIntervals owners_of(Cycle CycleLedger::*ledger_class, Interval cycles) const {
    OwnedIntervals owners;
    if (ledger_class == &CycleLedger::weight_shift) {
      add_pushes(owners, cycles);
    } else if (ledger_class == &CycleLedger::weight_stall) {
      add_dispatches(owners, streams_[Unit::kFetch][tiles_ - 1], cycles.begin);
      add_retirements(owners, Unit::kFetch, tiles_, cycles.begin);
    } else if (ledger_class == &CycleLedger::input_stall) {
      add_retirements(owners, Unit::kLoad, (*after_)[Unit::kLoad], cycles.begin);
    } else if (ledger_class == &CycleLedger::raw_stall) {
      add_retirements(owners, Unit::kVector, (*after_)[Unit::kVector], cycles.begin);
    } else if (ledger_class == &CycleLedger::fill_drain) {
      owners.add_until(cycles.begin, cycles.end, last_matmul_);
    } else if (ledger_class == &CycleLedger::vector || ledger_class == &CycleLedger::output) {
      add_busy(owners, tail_unit(ledger_class), cycles);
    } else {
      owners.add_until(cycles.begin, cycles.end, matmul_);
    }
    return owners;
  }

  static Unit tail_unit(Cycle CycleLedger::*ledger_class) {
    return ledger_class == &CycleLedger::vector ? Unit::kVector : Unit::kStore;
  }

  // A pushed tile belongs to the fetch that brought it.
  void add_pushes(OwnedIntervals& owners, Interval cycles) const {
    const std::vector<Cycle>& pushes = timeline_.pushes;
    auto push = std::ranges::upper_bound(pushes, cycles.begin - push_cycles_);
    for (; push != pushes.end() && *push < cycles.end; ++push) {
      const auto tile = static_cast<std::size_t>(push - pushes.begin());
      owners.add_until(*push, *push + push_cycles_, streams_[Unit::kFetch][tile]);
    }
  }

  // Adds the cycles from `begin` until the unit has retired `count` instructions. Each cycle
  // belongs to the instruction that the unit retires next.
  void add_retirements(OwnedIntervals& owners, Unit unit, std::size_t count, Cycle begin) const {
    const auto end = streams_[unit].begin() + static_cast<std::ptrdiff_t>(count);
    auto i = std::partition_point(streams_[unit].begin(), end, [&](std::uint32_t each) {
      return timeline_.instructions[each].retired < begin;
    });
    for (; i != end; ++i) owners.add_until(begin, timeline_.instructions[*i].retired + 1, *i);
  }

  // Adds the cycles from `begin` until instruction `last` is dispatched. Each cycle belongs to the
  // instruction that the sequencer dispatches next. If the sequencer stalls on a full queue, this
  // is the instruction for which the queue has no room.
  void add_dispatches(OwnedIntervals& owners, std::uint32_t last, Cycle begin) const {
    const auto& timings = timeline_.instructions;
    const auto end = timings.begin() + last + 1;
    auto i = std::partition_point(timings.begin(), end, [&](const InstructionTiming& each) {
      return each.dispatched < begin;
    });
    for (; i != end; ++i) {
      owners.add_until(begin, i->dispatched + 1, static_cast<std::uint32_t>(i - timings.begin()));
    }
  }

  // Adds the cycles in which the unit works. If instructions overlap, a cycle belongs to the
  // oldest.
  void add_busy(OwnedIntervals& owners, Unit unit, Interval cycles) const {
    const auto& timings = timeline_.instructions;
    auto i = std::ranges::partition_point(
        streams_[unit], [&](std::uint32_t each) { return timings[each].retired < cycles.begin; });
    for (; i != streams_[unit].end() && timings[*i].started < cycles.end; ++i) {
      owners.add_until(timings[*i].started, timings[*i].retired + 1, *i);
    }
  }

  // Cycles in which no unit works belong to the instruction that retires last.
  std::uint32_t last_retired() const {
    const auto last =
        std::ranges::max_element(timeline_.instructions, {}, &InstructionTiming::retired);
    return static_cast<std::uint32_t>(last - timeline_.instructions.begin());
  }

  const Program& program_;
  const Timeline& timeline_;
  const UnitStreams streams_;
  const Cycle push_cycles_;
  Groups& groups_;
  std::uint32_t matmul_ = 0;       // that waits; in the tail, the instruction that retires last
  std::uint32_t last_matmul_ = 0;  // the matmul before it
  const After* after_ = nullptr;
  std::size_t tiles_ = 0;  // taken so far
};

}  // namespace

CycleLedger ledger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total) {
  const std::array<Cycle, 2> whole = {0, total};
  Windows windows(whole);
  TimelineLedger(config, program, timeline, windows).build(total);
  return std::move(windows).ledgers().front();
}

std::vector<CycleLedger> ledgers(const MachineConfig& config, const Program& program,
                                 const Timeline& timeline, std::span<const Cycle> boundaries) {
  Windows windows(boundaries);
  TimelineLedger(config, program, timeline, windows).build(total_cycles(timeline));
  return std::move(windows).ledgers();
}

std::vector<CycleLedger> ledgers_by_group(const MachineConfig& config, const Program& program,
                                          const Timeline& timeline,
                                          std::span<const std::uint32_t> group_of,
                                          std::size_t groups) {
  Groups counts(group_of, groups);
  OwnedGroups sink(config, program, timeline, counts);
  TimelineLedger(config, program, timeline, sink).build(total_cycles(timeline));
  return std::move(counts).ledgers();
}

std::vector<LedgerSpan> ledger_spans(const MachineConfig& config, const Program& program,
                                     const Timeline& timeline, Cycle total) {
  Spans spans;
  TimelineLedger(config, program, timeline, spans).build(total);
  return std::move(spans).spans();
}

}  // namespace weft
