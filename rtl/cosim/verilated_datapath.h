// Wraps a Verilated matmul_datapath as a Datapath: drives its ports, clocks it, reads its
// registers.
//
//   inputs --> ports, clk_i = 0, eval --> write_o, write_row_o, write_data_o of this cycle
//                       clk_i = 1, eval --> the edge
//
// Ports and lanes: element i of a row lies in bits [i*width +: width] of its port, which is how a
// little-endian machine stores an array, so rows are copied in and out whole.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "rtl/cosim/pe_probe.h"
#include "sim/array/datapath.h"

namespace weft {

static_assert(std::endian::native == std::endian::little,
              "rows are copied into Verilator's ports as a little-endian machine stores them");

/// Model: the class that Verilator generated from matmul_datapath, with `rows`, `cols` and the
/// element type of Arithmetic as parameters.
template <class Model, class Arithmetic>
class VerilatedDatapath final : public Datapath<Arithmetic> {
 public:
  using typename Datapath<Arithmetic>::Inputs;
  using typename Datapath<Arithmetic>::Write;
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  /// Resets the model; its accumulators are zero.
  VerilatedDatapath(std::uint32_t rows, std::uint32_t cols)
      : rows_(rows), cols_(cols), sums_(cols), read_(cols) {
    reset();
  }

  // A model's scopes unregister from the thread's current context, so this one must be current.
  ~VerilatedDatapath() override {
    Verilated::threadContextp(&context_);
    model_.final();
  }

  std::uint32_t rows() const override { return rows_; }
  std::uint32_t cols() const override { return cols_; }

  std::optional<Write> step(const Inputs& inputs) override {
    drive(inputs);
    model_.clk_i = 0;
    model_.eval();
    std::optional<Write> write;
    if (model_.write_o != 0) {
      std::memcpy(sums_.data(), &model_.write_data_o, sums_.size() * sizeof(Psum));
      write = Write{model_.write_row_o, sums_};
    }
    model_.clk_i = 1;
    model_.eval();
    return write;
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    const PeBits bits = probe_.read(row, col);
    return {.act = operand(bits.act),
            .weight_active = operand(bits.weight_active),
            .weight_shadow = operand(bits.weight_shadow),
            .weight_out = operand(bits.weight_out),
            .psum = std::bit_cast<Psum>(bits.psum),
            .push = bits.push,
            .swap = bits.swap};
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override {
    set(model_.read_row_i, row);
    model_.eval();
    std::memcpy(read_.data(), &model_.read_data_o, read_.size() * sizeof(Psum));
    return read_;
  }

 private:
  // The reset is asynchronous: it needs a falling edge of rst_ni, but no clock edge.
  void reset() {
    model_.clk_i = 0;
    for (const bool released : {true, false, true}) {
      model_.rst_ni = released;
      model_.eval();
    }
  }

  void drive(const Inputs& inputs) {
    model_.valid_i = inputs.act_row != nullptr;
    model_.push_i = inputs.weight_row != nullptr;
    model_.swap_i = inputs.swap;
    model_.accumulate_i = inputs.accumulate;
    set(model_.row_i, inputs.acc_row);
    if (inputs.act_row != nullptr) copy_in(model_.act_i, inputs.act_row, rows_);
    if (inputs.weight_row != nullptr) copy_in(model_.weight_i, inputs.weight_row, cols_);
  }

  template <class Port>
  static void set(Port& port, std::uint32_t value) {
    port = static_cast<Port>(value);
  }

  template <class Port>
  static void copy_in(Port& port, const Element* row, std::uint32_t count) {
    std::memcpy(&port, row, count * sizeof(Element));
  }

  static typename Arithmetic::Operand operand(std::uint32_t bits) {
    return Arithmetic::widen(Arithmetic::from_bits(static_cast<std::uint16_t>(bits)));
  }

  const std::uint32_t rows_;
  const std::uint32_t cols_;
  VerilatedContext context_;
  Model model_{&context_};
  const PeProbe probe_{context_, model_.name(), rows_, cols_};
  std::vector<Psum> sums_;
  std::vector<Psum> read_;
};

/// The function that an RtlModel holds. kRows and kCols must be the parameters of Model.
template <class Model, class Arithmetic, std::uint32_t kRows, std::uint32_t kCols>
std::unique_ptr<Datapath<Arithmetic>> make_verilated_datapath() {
  return std::make_unique<VerilatedDatapath<Model, Arithmetic>>(kRows, kCols);
}

}  // namespace weft
