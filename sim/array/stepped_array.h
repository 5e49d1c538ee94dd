// The array that advances every register every cycle: the R x C PEs of pe/pe.h, R skew chains on
// the left, C skew chains on top, and C deskew chains below.
//
//                 weight skew (c registers in column c)
//                        |   |   |
//   activation skew  -> PE  PE  PE        PE(r,c) does at t+r+c what PE(0,0) does at t
//   (r registers     -> PE  PE  PE
//    in row r)           |   |   |
//                 deskew (C-1-c registers in column c) -> one whole result row per cycle
//
// A row that enters in cycle A is visible at the output in cycle A+R+C-1. Source: docs/timing.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "pe/pe.h"

namespace weft {

template <class Arithmetic>
class SteppedArray {
 public:
  using Operand = typename Arithmetic::Operand;
  using Psum = typename Arithmetic::Psum;

  /// What enters at the front in one cycle; the skew is inside the array.
  struct Inputs {
    const Operand* act_row = nullptr;     // R operands, or nullptr: no row this cycle (zeros)
    const Operand* weight_row = nullptr;  // C operands to push, or nullptr: no push
    bool swap = false;                    // the row is the first of a tile
  };

  SteppedArray(std::uint32_t rows, std::uint32_t cols);
  ~SteppedArray();
  SteppedArray(SteppedArray&&) noexcept;
  SteppedArray& operator=(SteppedArray&&) noexcept;

  /// One clock edge. Returns the result row (C sums) that was visible at the output during the
  /// cycle that this edge ends, or an empty span if that cycle carried none. Valid until the next
  /// step.
  std::span<const Psum> step(const Inputs& inputs);

  /// The registers of PE(r,c), for inspection and waveforms.
  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class SteppedArray<Int8Arithmetic>;
extern template class SteppedArray<Bf16Arithmetic>;
extern template class SteppedArray<Fp16Arithmetic>;

}  // namespace weft
