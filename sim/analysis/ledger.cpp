#include "sim/analysis/ledger.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sim/analysis/group_ledger.h"
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
class CycleWindows : public PiecesOnly {
 public:
  explicit CycleWindows(std::span<const Cycle> boundaries)
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

/// Passes the pieces on to a GroupLedger.
class GroupSink {
 public:
  explicit GroupSink(GroupLedger& groups) : groups_(groups) {}

  void begin(const MatmulWait& wait) { groups_.waiting(wait); }
  void add(Cycle CycleLedger::*ledger_class, Interval cycles) {
    groups_.classed(ledger_class, cycles);
  }
  void end(const MatmulWait& wait) { groups_.streamed(wait, {}, {}); }
  void begin_tail() { groups_.tail(); }

 private:
  GroupLedger& groups_;
};

}  // namespace

CycleLedger ledger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total) {
  const std::array<Cycle, 2> whole = {0, total};
  CycleWindows windows(whole);
  TimelineLedger(config, program, timeline, windows).build(total);
  return std::move(windows).ledgers().front();
}

std::vector<CycleLedger> ledgers(const MachineConfig& config, const Program& program,
                                 const Timeline& timeline, std::span<const Cycle> boundaries) {
  CycleWindows windows(boundaries);
  TimelineLedger(config, program, timeline, windows).build(total_cycles(timeline));
  return std::move(windows).ledgers();
}

std::vector<CycleLedger> ledgers_by_group(const MachineConfig& config, const Program& program,
                                          const Timeline& timeline,
                                          std::span<const std::uint32_t> group_of,
                                          std::size_t groups) {
  GroupLedger counts(config);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const InstructionTiming& timing = timeline.instructions[i];
    counts.begin_group(group_of[i]);
    counts.accepted(program.code[i]);
    counts.dispatched(timing.dispatched);
    counts.started(i, program.code[i].unit(), timing);
  }
  for (const Cycle push : timeline.pushes) counts.pushed(push);
  GroupSink sink(counts);
  TimelineLedger(config, program, timeline, sink).build(total_cycles(timeline));
  std::vector<CycleLedger> ledgers = counts.ledgers();
  ledgers.resize(groups);
  return ledgers;
}

std::vector<LedgerSpan> ledger_spans(const MachineConfig& config, const Program& program,
                                     const Timeline& timeline, Cycle total) {
  Spans spans;
  TimelineLedger(config, program, timeline, spans).build(total);
  return std::move(spans).spans();
}

}  // namespace weft
