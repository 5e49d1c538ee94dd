// A datapath that records its inputs and passes every step on to another datapath.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "sim/array/datapath.h"
#include "sim/trace/array_recording.h"

namespace weft {

template <class Arithmetic>
class RecordedDatapath final : public Datapath<Arithmetic> {
 public:
  using typename Datapath<Arithmetic>::Inputs;
  using typename Datapath<Arithmetic>::Write;
  using Psum = typename Arithmetic::Psum;

  /// Records the cycles before `recording.end`.
  RecordedDatapath(Datapath<Arithmetic>& datapath, ArrayRecording& recording)
      : datapath_(datapath), recording_(recording) {}

  std::uint32_t rows() const override { return datapath_.rows(); }
  std::uint32_t cols() const override { return datapath_.cols(); }

  std::optional<Write> step(const Inputs& inputs) override {
    if (inputs.cycle < recording_.end) record(inputs);
    return datapath_.step(inputs);
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    return datapath_.registers(row, col);
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override {
    return datapath_.accumulator_row(row);
  }

 private:
  void record(const Inputs& inputs) {
    const auto cycle = static_cast<std::int32_t>(inputs.cycle);
    if (inputs.act_row != nullptr) {
      ArrayRecording::Activations& rows = recording_.activations;
      rows.cycle.push_back(cycle);
      rows.acc_row.push_back(static_cast<std::int32_t>(inputs.acc_row));
      rows.swap.push_back(inputs.swap ? 1 : 0);
      rows.accumulate.push_back(inputs.accumulate ? 1 : 0);
      append(inputs.act_row, datapath_.rows(), rows.values);
    }
    if (inputs.weight_row != nullptr) {
      recording_.weights.cycle.push_back(cycle);
      append(inputs.weight_row, datapath_.cols(), recording_.weights.values);
    }
  }

  static void append(const typename Arithmetic::Element* row, std::uint32_t count,
                     std::vector<std::byte>& values) {
    const auto bytes = std::as_bytes(std::span(row, count));
    const std::size_t at = values.size();
    values.resize(at + bytes.size());
    std::ranges::copy(bytes, values.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Datapath<Arithmetic>& datapath_;
  ArrayRecording& recording_;
};

}  // namespace weft
