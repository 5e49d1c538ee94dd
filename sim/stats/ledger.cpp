#include "sim/stats/ledger.h"

#include "sim/stats/intervals.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/streams.h"

namespace weft {
namespace {

class LedgerBuilder {
 public:
  LedgerBuilder(const MachineConfig& config, const Program& program, const Timeline& timeline,
                Cycle total)
      : config_(config),
        program_(program),
        timeline_(timeline),
        streams_(program),
        array_(config),
        total_(total) {
    for (const Cycle start : timeline.pushes) pushes_.push_back({start, start + array_.push()});
  }

  CycleLedger build() {
    Cycle streamed_until = 0;
    for (std::uint32_t k = 0; k < streams_[Unit::kMatmul].size(); ++k) {
      const InstructionTiming& matmul = timing(Unit::kMatmul, k);
      classify_wait(k, {streamed_until, matmul.started});
      streamed_until = matmul.started + rows(k);
      ledger_.array_active += rows(k);
    }
    classify_tail({streamed_until, total_});
    return ledger_;
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

  // The first cycle in which `unit` has retired as many instructions as matmul k names.
  Cycle reached(std::uint32_t k, Unit unit) const {
    const std::uint32_t count = matmul_instruction(k).after[unit];
    return count == 0 ? 0 : timing(unit, count - 1).retired + 1;
  }

  // Cycles of `open` before `until`, for one class.
  static Cycle take_until(std::vector<Interval>& open, Cycle until) {
    const Interval before{0, until};
    return take(open, {&before, 1});
  }

  Cycle take_pushes(std::vector<Interval>& open) {
    while (next_push_ < pushes_.size() && pushes_[next_push_].end <= open.front().begin) {
      ++next_push_;
    }
    std::size_t last = next_push_;
    while (last < pushes_.size() && pushes_[last].begin < open.back().end) ++last;
    return take(open, std::span(pushes_).subspan(next_push_, last - next_push_));
  }

  void classify_wait(std::uint32_t k, Interval gap) {
    const bool swaps = std::get<Matmul>(matmul_instruction(k).operation).next_weights;
    const std::uint32_t tile = swaps ? next_tile_++ : 0;
    if (gap.begin >= gap.end) return;
    std::vector<Interval> open = {gap};
    ledger_.weight_shift += take_pushes(open);
    if (swaps) ledger_.weight_stall += take_until(open, timing(Unit::kFetch, tile).retired + 1);
    ledger_.input_stall += take_until(open, reached(k, Unit::kLoad));
    ledger_.raw_stall += take_until(open, reached(k, Unit::kVector));
    if (swaps && !config_.double_buffer && k > 0) {
      const Cycle empty = array_.empty(timing(Unit::kMatmul, k - 1).started, rows(k - 1));
      ledger_.fill_drain += take_until(open, empty);
    }
    for (const Interval& rest : open) ledger_.idle += rest.end - rest.begin;
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
    ledger_.weight_shift += take_pushes(open);
    const auto& matmuls = streams_[Unit::kMatmul];
    if (!matmuls.empty()) {
      ledger_.fill_drain += take_until(open, timeline_.instructions[matmuls.back()].retired + 1);
    }
    ledger_.vector += take(open, busy(Unit::kVector));
    ledger_.output += take(open, busy(Unit::kStore));
    for (const Interval& rest : open) ledger_.idle += rest.end - rest.begin;
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const Streams streams_;
  const ArrayTiming array_;
  const Cycle total_;
  std::vector<Interval> pushes_;
  std::size_t next_push_ = 0;
  std::uint32_t next_tile_ = 0;
  CycleLedger ledger_;
};

}  // namespace

CycleLedger ledger(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   Cycle total) {
  return LedgerBuilder(config, program, timeline, total).build();
}

}  // namespace weft
