// A datapath that passes every step on to another datapath and writes it to a waveform.
#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "sim/trace/datapath_vcd.h"

namespace weft {

template <class Arithmetic>
class TracedDatapath final : public Datapath<Arithmetic> {
 public:
  using typename Datapath<Arithmetic>::Inputs;
  using typename Datapath<Arithmetic>::Write;
  using Psum = typename Arithmetic::Psum;

  /// `vcd` receives the waveform of these cycles. Throws InputError, also in step(), if it cannot
  /// be written.
  TracedDatapath(Datapath<Arithmetic>& datapath, std::uint64_t clock_hz, CycleRange cycles,
                 std::ostream& vcd)
      : datapath_(datapath),
        cycles_(cycles),
        vcd_(vcd, datapath.rows(), datapath.cols(), clock_hz, {std::string(kDatapathScope)}) {}

  std::uint32_t rows() const override { return datapath_.rows(); }
  std::uint32_t cols() const override { return datapath_.cols(); }

  std::optional<Write> step(const Inputs& inputs) override {
    if (!cycles_.contains(inputs.cycle)) return datapath_.step(inputs);
    snapshot_.begin(inputs.cycle, inputs, datapath_);
    const std::optional<Write> write = datapath_.step(inputs);
    snapshot_.finish(write);
    vcd_.add(std::array{&std::as_const(snapshot_)});
    return write;
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    return datapath_.registers(row, col);
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override {
    return datapath_.accumulator_row(row);
  }

  /// Ends the waveform. Throws InputError.
  void finish() { vcd_.finish(); }

 private:
  Datapath<Arithmetic>& datapath_;
  const CycleRange cycles_;
  DatapathVcd<Arithmetic> vcd_;
  DatapathSnapshot<Arithmetic> snapshot_;
};

}  // namespace weft
