// The accumulators' values: rows of C 32-bit sums of the type that the array accumulates.
#pragma once

#include "sim/config/machine_config.h"
#include "sim/memory/row_buffer.h"

namespace weft {

/// Arithmetic: Int8Arithmetic, Bf16Arithmetic or Fp16Arithmetic (pe/arithmetic.h).
template <class Arithmetic>
class Accumulators : public RowBuffer<typename Arithmetic::Psum> {
 public:
  /// As many rows as the configuration has, zero-filled.
  explicit Accumulators(const MachineConfig& config)
      : RowBuffer<typename Arithmetic::Psum>("accumulators", config.accumulator_rows,
                                             config.array_cols) {}
};

}  // namespace weft
