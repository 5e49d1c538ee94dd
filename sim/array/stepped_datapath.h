// The datapath of the `stepped` engine: SteppedArray and the accumulators, in C++.
#pragma once

#include <algorithm>
#include <deque>
#include <type_traits>
#include <vector>

#include "sim/array/datapath.h"
#include "sim/array/stepped_array.h"
#include "sim/config/machine_config.h"
#include "sim/memory/accumulators.h"

namespace weft {

template <class Arithmetic>
class SteppedDatapath final : public Datapath<Arithmetic> {
 public:
  using typename Datapath<Arithmetic>::Inputs;
  using typename Datapath<Arithmetic>::Write;
  using Operand = typename Arithmetic::Operand;
  using Psum = typename Arithmetic::Psum;

  explicit SteppedDatapath(const MachineConfig& config)
      : rows_(config.array_rows),
        cols_(config.array_cols),
        array_(rows_, cols_),
        accumulators_(config),
        act_row_(rows_),
        weight_row_(cols_) {}

  std::uint32_t rows() const override { return rows_; }
  std::uint32_t cols() const override { return cols_; }

  std::optional<Write> step(const Inputs& inputs) override {
    const auto result = array_.step({.act_row = widen(inputs.act_row, act_row_),
                                     .weight_row = widen(inputs.weight_row, weight_row_),
                                     .swap = inputs.swap});
    if (inputs.act_row != nullptr) in_flight_.push_back({inputs.acc_row, inputs.accumulate});
    if (result.empty()) return std::nullopt;
    return write(result);
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    return array_.registers(row, col);
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override {
    return accumulators_.row(row);
  }

 private:
  // Where a result row goes when it leaves the array.
  struct Destination {
    std::uint32_t acc_row;
    bool accumulate;
  };

  Write write(std::span<const Psum> result) {
    const Destination to = in_flight_.front();
    in_flight_.pop_front();
    const std::span<Psum> sums = accumulators_.row(to.acc_row);
    if (to.accumulate) {
      std::ranges::transform(sums, result, sums.begin(), Arithmetic::add);
    } else {
      std::ranges::copy(result, sums.begin());
    }
    return {to.acc_row, sums};
  }

  static const Operand* widen(const typename Arithmetic::Element* row, std::vector<Operand>& out) {
    if (row == nullptr) return nullptr;
    if constexpr (std::is_same_v<typename Arithmetic::Element, Operand>) {
      return row;
    } else {
      std::transform(row, row + out.size(), out.begin(), Arithmetic::widen);
      return out.data();
    }
  }

  const std::uint32_t rows_;
  const std::uint32_t cols_;
  SteppedArray<Arithmetic> array_;
  Accumulators<Arithmetic> accumulators_;
  std::vector<Operand> act_row_;
  std::vector<Operand> weight_row_;
  std::deque<Destination> in_flight_;
};

}  // namespace weft
