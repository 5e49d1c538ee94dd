// The datapath of the matmul unit: the array and the accumulators after it. This interface shows
// what enters in a cycle, what the edge that ends the cycle writes, and the registers.
//
//   act row, weight row --> [ R x C array ] --> result row --> [ accumulators ] --> vector unit
//   accumulator row    ----- R+C-1 cycles later --------------------^
//
// `stepped` and `rtl` each implement it; docs/timing.md has the cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pe/pe.h"
#include "sim/timing/timeline.h"

namespace weft {

/// What enters at the front in one cycle; the skew is inside the array.
template <class Arithmetic>
struct DatapathInputs {
  using Element = typename Arithmetic::Element;

  const Element* act_row = nullptr;     // R elements, or nullptr: no row this cycle (zeros)
  const Element* weight_row = nullptr;  // C elements to push, or nullptr: no push
  bool swap = false;                    // the row is the first of a tile
  std::uint32_t acc_row = 0;            // where the sums of this row go
  bool accumulate = false;              // true: add the sums; false: overwrite
  Cycle cycle = 0;                      // number of this cycle, used only in reports
};

/// A row of C sums as the accumulators hold it after the write.
template <class Arithmetic>
struct AccumulatorWrite {
  std::uint32_t row = 0;
  std::span<const typename Arithmetic::Psum> sums;  // valid until the next step
};

template <class Arithmetic>
class Datapath {
 public:
  using Inputs = DatapathInputs<Arithmetic>;
  using Write = AccumulatorWrite<Arithmetic>;
  using Psum = typename Arithmetic::Psum;

  Datapath() = default;
  virtual ~Datapath() = default;
  Datapath(const Datapath&) = delete;
  Datapath& operator=(const Datapath&) = delete;

  virtual std::uint32_t rows() const = 0;
  virtual std::uint32_t cols() const = 0;

  /// One clock edge. If a row entered R+C-1 cycles ago, its sums are written in the cycle that this
  /// edge ends, and step() returns that write.
  virtual std::optional<Write> step(const Inputs& inputs) = 0;

  /// The registers of PE(row, col) as the last edge left them.
  virtual PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const = 0;

  /// Row `row` of the accumulators, C sums, for the vector unit. Valid until the next step.
  virtual std::span<const Psum> accumulator_row(std::uint32_t row) = 0;
};

}  // namespace weft
