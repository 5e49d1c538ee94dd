// The array's cycle constants, each with its derivation (docs/timing.md). PE(r,c) does at t+r+c
// what PE(0,0) does at t, so everything is counted from the front, PE(0,0).
#pragma once

#include "sim/config/machine_config.h"
#include "sim/timing/timeline.h"

namespace weft {

struct ArrayTiming {
  Cycle rows;  // R
  Cycle cols;  // C

  explicit ArrayTiming(const MachineConfig& config)
      : rows(config.array_rows), cols(config.array_cols) {}

  /// Cycles in which a tile occupies the weight port: one per row.
  Cycle push() const { return rows; }
  /// From the front to the last PE: R-1 rows down and C-1 columns right.
  Cycle front_to_last_pe() const { return (rows - 1) + (cols - 1); }
  /// From a row's entry to the cycle at whose end it is in the accumulators: R registers down,
  /// then C-1 more by skew or deskew.
  Cycle front_to_accumulator() const { return rows + (cols - 1); }
  /// The first cycle in which the array is empty after `row_count` rows entered from `start` on:
  /// the last row enters in start+row_count-1 and is in the last PE front_to_last_pe() later.
  Cycle empty(Cycle start, Cycle row_count) const { return start + row_count + front_to_last_pe(); }
  /// The cycle of retirement: the last row's accumulator write.
  Cycle retire(Cycle start, Cycle row_count) const {
    return start + (row_count - 1) + front_to_accumulator();
  }
};

/// The cycles from the end of a vector instruction's last read until its last row is readable.
inline Cycle vector_drain(const MachineConfig& config) {
  return Cycle{config.vector_latency_cycles} - 1;
}

/// The vector unit reads row j in cycle V+j and its result is readable L cycles later, so the
/// last of `row_count` rows is written at the end of the cycle before V + (row_count-1) + L.
inline Cycle vector_retire(Cycle start, Cycle row_count, const MachineConfig& config) {
  return start + (row_count - 1) + vector_drain(config);
}

}  // namespace weft
