#include "sim/analysis/ledger.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/unit_streams.h"

namespace weft {
namespace {

/// Counts the cycles by class and window.
class Windows {
 public:
  explicit Windows(std::span<const Cycle> boundaries)
      : boundaries_(boundaries), ledgers_(boundaries.empty() ? 0 : boundaries.size() - 1) {}

  void add(Cycle CycleLedger::*ledger_class, Interval cycles, std::uint32_t) {
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
class Spans {
 public:
  void add(Cycle CycleLedger::*ledger_class, Interval cycles, std::uint32_t) {
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

/// Gives every cycle its class and the instruction by which it is classed; `Sink` has
/// add(class, interval, instruction).
template <class Sink>
class LedgerBuilder {
 public:
  using Class = Cycle CycleLedger::*;

  LedgerBuilder(const MachineConfig& config, const Program& program, const Timeline& timeline,
                Sink& sink)
      : config_(config),
        program_(program),
        timeline_(timeline),
        streams_(program),
        array_(config),
        sink_(sink) {}

  void build(Cycle total) {
    Cycle streamed_until = 0;
    for (std::uint32_t k = 0; k < streams_[Unit::kMatmul].size(); ++k) {
      const InstructionTiming& matmul = timing(Unit::kMatmul, k);
      classify_wait(k, {streamed_until, matmul.started});
      streamed_until = matmul.started + rows(k);
      sink_.add(&CycleLedger::array_active, {matmul.started, streamed_until},
                index(Unit::kMatmul, k));
    }
    classify_tail({streamed_until, total});
  }

 private:
  std::uint32_t index(Unit unit, std::size_t position) const { return streams_[unit][position]; }
  const InstructionTiming& timing(Unit unit, std::size_t position) const {
    return timeline_.instructions[index(unit, position)];
  }
  const Instruction& matmul_instruction(std::uint32_t position) const {
    return program_.code[index(Unit::kMatmul, position)];
  }
  Cycle rows(std::uint32_t position) const {
    return std::get<Matmul>(matmul_instruction(position).operation).rows;
  }

  void take_class(std::vector<Interval>& open, const OwnedIntervals& covers, Class to) {
    std::size_t i = 0;
    take(open, covers.intervals(), [&](Interval taken) {
      while (covers.intervals()[i].end <= taken.begin) ++i;
      sink_.add(to, taken, covers.owner(i));
    });
  }

  // Takes the cycles of `open` before `until`, for one class and one instruction.
  void take_until(std::vector<Interval>& open, Cycle until, Class to, std::uint32_t owner) {
    OwnedIntervals before;
    before.add_until(0, until, owner);
    take_class(open, before, to);
  }

  // A pushed tile belongs to the fetch that brought it.
  void take_pushes(std::vector<Interval>& open) {
    const std::vector<Cycle>& pushes = timeline_.pushes;
    while (next_push_ < pushes.size() && pushes[next_push_] + array_.push() <= open.front().begin) {
      ++next_push_;
    }
    OwnedIntervals covers;
    for (std::size_t i = next_push_; i < pushes.size() && pushes[i] < open.back().end; ++i) {
      covers.add_until(pushes[i], pushes[i] + array_.push(), index(Unit::kFetch, i));
    }
    take_class(open, covers, &CycleLedger::weight_shift);
  }

  // Adds the cycles from `begin` until the unit has retired `count` instructions. Each cycle
  // belongs to the instruction that the unit retires next.
  void add_retirements(OwnedIntervals& covers, Unit unit, std::size_t count, Cycle begin) const {
    const auto end = streams_[unit].begin() + static_cast<std::ptrdiff_t>(count);
    auto i = std::partition_point(streams_[unit].begin(), end, [&](std::uint32_t each) {
      return timeline_.instructions[each].retired < begin;
    });
    for (; i != end; ++i) covers.add_until(begin, timeline_.instructions[*i].retired + 1, *i);
  }

  // Adds the cycles from `begin` until instruction `last` is dispatched. Each cycle belongs to the
  // instruction that the sequencer dispatches next. If the sequencer stalls on a full queue, this
  // is the instruction for which the queue has no room.
  void add_dispatches(OwnedIntervals& covers, std::uint32_t last, Cycle begin) const {
    const auto& timings = timeline_.instructions;
    const auto end = timings.begin() + last + 1;
    auto i = std::partition_point(timings.begin(), end, [&](const InstructionTiming& each) {
      return each.dispatched < begin;
    });
    for (; i != end; ++i) {
      covers.add_until(begin, i->dispatched + 1, static_cast<std::uint32_t>(i - timings.begin()));
    }
  }

  // The tile is not in the FIFO: its fetch is not dispatched yet, or it has not retired.
  void take_weight_stall(std::vector<Interval>& open, std::uint32_t tile) {
    if (open.empty()) return;
    OwnedIntervals covers;
    add_dispatches(covers, index(Unit::kFetch, tile), open.front().begin);
    add_retirements(covers, Unit::kFetch, std::size_t{tile} + 1, open.front().begin);
    take_class(open, covers, &CycleLedger::weight_stall);
  }

  // Matmul k names instructions of the unit, and not all of them have retired.
  void take_named(std::vector<Interval>& open, std::uint32_t k, Unit unit, Class to) {
    const std::uint32_t count = matmul_instruction(k).after[unit];
    if (open.empty() || count == 0) return;
    OwnedIntervals covers;
    add_retirements(covers, unit, count, open.front().begin);
    take_class(open, covers, to);
  }

  void take_rest(const std::vector<Interval>& open, std::uint32_t owner) {
    for (const Interval& rest : open) sink_.add(&CycleLedger::idle, rest, owner);
  }

  void classify_wait(std::uint32_t k, Interval gap) {
    const bool swaps = std::get<Matmul>(matmul_instruction(k).operation).next_weights;
    const std::uint32_t tile = swaps ? next_tile_++ : 0;
    if (gap.begin >= gap.end) return;
    std::vector<Interval> open = {gap};
    take_pushes(open);
    if (swaps) take_weight_stall(open, tile);
    take_named(open, k, Unit::kLoad, &CycleLedger::input_stall);
    take_named(open, k, Unit::kVector, &CycleLedger::raw_stall);
    if (swaps && !config_.double_buffer && k > 0) {
      const Cycle empty = array_.empty(timing(Unit::kMatmul, k - 1).started, rows(k - 1));
      take_until(open, empty, &CycleLedger::fill_drain, index(Unit::kMatmul, k - 1));
    }
    take_rest(open, index(Unit::kMatmul, k));
  }

  // The cycles in which the unit works. Where instructions overlap, a cycle belongs to the oldest.
  OwnedIntervals busy(Unit unit) const {
    OwnedIntervals intervals;
    for (const std::uint32_t i : streams_[unit]) {
      const InstructionTiming& t = timeline_.instructions[i];
      intervals.add_until(t.started, t.retired + 1, i);
    }
    return intervals;
  }

  // Cycles in which no unit works belong to the instruction that retires last.
  std::uint32_t last_retired() const {
    const auto last =
        std::ranges::max_element(timeline_.instructions, {}, &InstructionTiming::retired);
    return static_cast<std::uint32_t>(last - timeline_.instructions.begin());
  }

  void classify_tail(Interval tail) {
    if (tail.begin >= tail.end) return;
    std::vector<Interval> open = {tail};
    take_pushes(open);
    const auto& matmuls = streams_[Unit::kMatmul];
    if (!matmuls.empty()) {
      take_until(open, timeline_.instructions[matmuls.back()].retired + 1, &CycleLedger::fill_drain,
                 matmuls.back());
    }
    take_class(open, busy(Unit::kVector), &CycleLedger::vector);
    take_class(open, busy(Unit::kStore), &CycleLedger::output);
    take_rest(open, last_retired());
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const UnitStreams streams_;
  const ArrayTiming array_;
  std::size_t next_push_ = 0;
  std::uint32_t next_tile_ = 0;
  Sink& sink_;
};

}  // namespace

CycleLedger ledger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total) {
  const std::array<Cycle, 2> whole = {0, total};
  Windows windows(whole);
  LedgerBuilder(config, program, timeline, windows).build(total);
  return std::move(windows).ledgers().front();
}

std::vector<CycleLedger> ledgers(const MachineConfig& config, const Program& program,
                                 const Timeline& timeline, std::span<const Cycle> boundaries) {
  Windows windows(boundaries);
  LedgerBuilder(config, program, timeline, windows).build(total_cycles(timeline));
  return std::move(windows).ledgers();
}

std::vector<CycleLedger> ledgers_by_group(const MachineConfig& config, const Program& program,
                                          const Timeline& timeline,
                                          std::span<const std::uint32_t> group_of,
                                          std::size_t groups) {
  Groups sink(group_of, groups);
  LedgerBuilder(config, program, timeline, sink).build(total_cycles(timeline));
  return std::move(sink).ledgers();
}

std::vector<LedgerSpan> ledger_spans(const MachineConfig& config, const Program& program,
                                     const Timeline& timeline, Cycle total) {
  Spans spans;
  LedgerBuilder(config, program, timeline, spans).build(total);
  return std::move(spans).spans();
}

}  // namespace weft
