// Two datapaths side by side. Both get the same inputs; the machine sees only the expected one.
// After every edge all PE registers and the accumulator write are compared, bit for bit, and also
// every accumulator row that the vector unit reads. After the first difference a few more cycles
// are recorded, then the run ends with a LockstepError.
//
//              +-> expected --> registers, write ----> the machine
//   inputs ----+                       == ?
//              +-> actual ----> registers, write
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "sim/machine/datapaths/lockstep_compare.h"
#include "sim/machine/datapaths/lockstep_error.h"
#include "sim/machine/datapaths/lockstep_recorder.h"

namespace weft {

template <class Arithmetic>
class LockstepDatapath final : public Datapath<Arithmetic> {
 public:
  using typename Datapath<Arithmetic>::Inputs;
  using typename Datapath<Arithmetic>::Write;
  using Psum = typename Arithmetic::Psum;

  /// Both must have the same size and be in their reset state. clock_hz only appears in the
  /// waveform of a difference.
  LockstepDatapath(Datapath<Arithmetic>& expected, Datapath<Arithmetic>& actual,
                   std::uint64_t clock_hz)
      : expected_(expected),
        actual_(actual),
        recorder_(expected.rows(), expected.cols(), clock_hz) {}

  std::uint32_t rows() const override { return expected_.rows(); }
  std::uint32_t cols() const override { return expected_.cols(); }

  std::optional<Write> step(const Inputs& inputs) override {
    if (cycles_ == 0) compare_registers(inputs.cycle);  // as the reset left them
    cycle_ = inputs.cycle;
    recorder_.begin_cycle(inputs, expected_, actual_);
    const std::optional<Write> expected = expected_.step(inputs);
    const std::optional<Write> actual = actual_.step(inputs);
    recorder_.end_cycle(expected, actual);
    ++cycles_;
    if (difference_ && ++cycles_after_ == kCyclesAfter) finish();
    note(cycle_, lockstep::compare_writes<Arithmetic>(expected, actual));
    compare_registers(cycle_ + 1);
    return expected;
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    return actual_.registers(row, col);
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override {
    const std::span<const Psum> expected = expected_.accumulator_row(row);
    // A row is read after the cycle that the last edge ended.
    note(cycle_ + 1,
         lockstep::compare_sums<Psum>("read_data_o", row, expected, actual_.accumulator_row(row)));
    return expected;
  }

  /// Call it when the run is over. Throws LockstepError if there was a difference.
  void finish() const {
    if (difference_) throw LockstepError(difference_->text(), recorder_.waveform());
  }

  /// The number of edges compared so far.
  std::uint64_t cycles() const { return cycles_; }

 private:
  // A quarter of the recorded cycles comes after the difference, the rest before it.
  static constexpr std::uint32_t kCyclesAfter = LockstepRecorder<Arithmetic>::kCycles / 4;

  void note(Cycle cycle, std::optional<LockstepDifference> difference) {
    if (difference_ || !difference) return;
    difference_ = std::move(difference);
    difference_->cycle = cycle;
  }

  void compare_registers(Cycle cycle) {
    for (std::uint32_t r = 0; r < rows() && !difference_; ++r) {
      for (std::uint32_t c = 0; c < cols() && !difference_; ++c) {
        auto difference = lockstep::compare_registers<Arithmetic>(expected_.registers(r, c),
                                                                  actual_.registers(r, c));
        if (difference) difference->place = fmt::format("PE row {}, column {}", r, c);
        note(cycle, std::move(difference));
      }
    }
  }

  Datapath<Arithmetic>& expected_;
  Datapath<Arithmetic>& actual_;
  LockstepRecorder<Arithmetic> recorder_;
  std::optional<LockstepDifference> difference_;
  Cycle cycle_ = -1;  // the one that the last edge ended
  std::uint64_t cycles_ = 0;
  std::uint32_t cycles_after_ = 0;
};

}  // namespace weft
