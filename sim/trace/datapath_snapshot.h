// One cycle of the matmul datapath: what entered, the registers during the cycle, and the
// accumulator write of the edge at its end.
//
//   snapshot.begin(cycle, inputs, datapath);   // the registers before the edge
//   const auto write = datapath.step(inputs);  // the edge
//   snapshot.finish(write);
//
// It owns copies, so it may outlive the cycle; it reuses its memory from cycle to cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pe/pe.h"
#include "sim/array/datapath.h"
#include "sim/timing/timeline.h"

namespace weft {

template <class Arithmetic>
struct DatapathSnapshot {
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  Cycle cycle = 0;

  // What entered; the names are those of the ports in rtl/matmul_datapath.sv.
  bool valid = false;
  bool swap = false;
  bool accumulate = false;
  bool push = false;
  std::uint32_t acc_row = 0;
  std::vector<Element> act_row;     // R elements if valid, else none
  std::vector<Element> weight_row;  // C elements if push, else none

  std::vector<PeRegisters<Arithmetic>> registers;  // R x C, row-major

  // The accumulator write of this cycle.
  bool write = false;
  std::uint32_t write_row = 0;
  std::vector<Psum> write_data;  // C sums if write, else none

  /// Call it before the step that ends cycle `now`, with the inputs of that step.
  void begin(Cycle now, const DatapathInputs<Arithmetic>& inputs,
             const Datapath<Arithmetic>& datapath) {
    cycle = now;
    valid = inputs.act_row != nullptr;
    swap = inputs.swap;
    accumulate = inputs.accumulate;
    push = inputs.weight_row != nullptr;
    acc_row = inputs.acc_row;
    act_row.assign(inputs.act_row, inputs.act_row + (valid ? datapath.rows() : 0));
    weight_row.assign(inputs.weight_row, inputs.weight_row + (push ? datapath.cols() : 0));
    copy_registers(datapath);
  }

  /// Call it after that step, with its result.
  void finish(const std::optional<AccumulatorWrite<Arithmetic>>& stored) {
    write = stored.has_value();
    write_row = write ? stored->row : 0;
    write_data.clear();
    if (write) write_data.assign(stored->sums.begin(), stored->sums.end());
  }

 private:
  void copy_registers(const Datapath<Arithmetic>& datapath) {
    registers.clear();
    for (std::uint32_t r = 0; r < datapath.rows(); ++r) {
      for (std::uint32_t c = 0; c < datapath.cols(); ++c) {
        registers.push_back(datapath.registers(r, c));
      }
    }
  }
};

}  // namespace weft
