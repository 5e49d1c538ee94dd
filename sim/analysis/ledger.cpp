#include "sim/analysis/ledger.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/streams.h"

namespace weft {
namespace {

/// Counts the cycles by class and window.
class Windows {
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

/// Collects the cycles as spans with their classes.
class Spans {
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

/// Gives every cycle its class; `Sink` has add(class, interval).
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
        sink_(sink) {
    for (const Cycle start : timeline.pushes) pushes_.push_back({start, start + array_.push()});
  }

  void build(Cycle total) {
    Cycle streamed_until = 0;
    for (std::uint32_t k = 0; k < streams_[Unit::kMatmul].size(); ++k) {
      const InstructionTiming& matmul = timing(Unit::kMatmul, k);
      classify_wait(k, {streamed_until, matmul.started});
      streamed_until = matmul.started + rows(k);
      sink_.add(&CycleLedger::array_active, {matmul.started, streamed_until});
    }
    classify_tail({streamed_until, total});
  }

 private:
  const InstructionTiming& timing(Unit unit, std::uint32_t position) const {
    return timeline_.instructions[streams_[unit][position]];
  }
  const Instruction& matmul_instruction(std::uint32_t position) const {
    return program_.code[streams_[Unit::kMatmul][position]];
  }
  Cycle rows(std::uint32_t position) const {
    return std::get<Matmul>(matmul_instruction(position).operation).rows;
  }

  // The first cycle in which `unit` has retired as many instructions as matmul k waits for.
  Cycle reached(std::uint32_t k, Unit unit) const {
    const std::uint32_t count = matmul_instruction(k).after[unit];
    return count == 0 ? 0 : timing(unit, count - 1).retired + 1;
  }

  void take_class(std::vector<Interval>& open, std::span<const Interval> covers, Class to) {
    take(open, covers, [&](Interval taken) { sink_.add(to, taken); });
  }

  // Gives the cycles of `open` before `until` to one class.
  void take_until(std::vector<Interval>& open, Cycle until, Class to) {
    const Interval before{0, until};
    take_class(open, {&before, 1}, to);
  }

  void take_rest(const std::vector<Interval>& open) {
    for (const Interval& rest : open) sink_.add(&CycleLedger::idle, rest);
  }

  void take_pushes(std::vector<Interval>& open) {
    while (next_push_ < pushes_.size() && pushes_[next_push_].end <= open.front().begin) {
      ++next_push_;
    }
    std::size_t last = next_push_;
    while (last < pushes_.size() && pushes_[last].begin < open.back().end) ++last;
    take_class(open, std::span(pushes_).subspan(next_push_, last - next_push_),
               &CycleLedger::weight_shift);
  }

  void classify_wait(std::uint32_t k, Interval gap) {
    const bool swaps = std::get<Matmul>(matmul_instruction(k).operation).next_weights;
    const std::uint32_t tile = swaps ? next_tile_++ : 0;
    if (gap.begin >= gap.end) return;
    std::vector<Interval> open = {gap};
    take_pushes(open);
    if (swaps) {
      take_until(open, timing(Unit::kFetch, tile).retired + 1, &CycleLedger::weight_stall);
    }
    take_until(open, reached(k, Unit::kLoad), &CycleLedger::input_stall);
    take_until(open, reached(k, Unit::kVector), &CycleLedger::raw_stall);
    if (swaps && !config_.double_buffer && k > 0) {
      const Cycle empty = array_.empty(timing(Unit::kMatmul, k - 1).started, rows(k - 1));
      take_until(open, empty, &CycleLedger::fill_drain);
    }
    take_rest(open);
  }

  std::vector<Interval> busy(Unit unit) const {
    std::vector<Interval> intervals;
    for (const std::uint32_t index : streams_[unit]) {
      const InstructionTiming& t = timeline_.instructions[index];
      intervals.push_back({t.started, t.retired + 1});
    }
    return intervals;
  }

  void classify_tail(Interval tail) {
    if (tail.begin >= tail.end) return;
    std::vector<Interval> open = {tail};
    take_pushes(open);
    const auto& matmuls = streams_[Unit::kMatmul];
    if (!matmuls.empty()) {
      take_until(open, timeline_.instructions[matmuls.back()].retired + 1,
                 &CycleLedger::fill_drain);
    }
    take_class(open, busy(Unit::kVector), &CycleLedger::vector);
    take_class(open, busy(Unit::kStore), &CycleLedger::output);
    take_rest(open);
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const Streams streams_;
  const ArrayTiming array_;
  std::vector<Interval> pushes_;
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

std::vector<LedgerSpan> ledger_spans(const MachineConfig& config, const Program& program,
                                     const Timeline& timeline, Cycle total) {
  Spans spans;
  LedgerBuilder(config, program, timeline, spans).build(total);
  return std::move(spans).spans();
}

}  // namespace weft
