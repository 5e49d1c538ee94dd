// The predicted cost of a tiling in closed form, by which the planner ranks candidates. It is never
// reported as a cycle count: the simulator counts the cycles.
//
//   startup | first activations arrive | the larger of array time and transfer time | last results
//
// Array time is a pitch for each use of an accumulator region. The pitch is set by the slowest of
// the resources that every use passes through.
#pragma once

#include "compiler/mapping/tiling_plan.h"

namespace weft {

/// The values are doubles: they rank candidates whose products may exceed 64 bits.
struct PredictedCycles {
  double array = 0;  // the array and its rings of buffers, if channels were always free
  double total = 0;
};

/// The predicted cycles of a run, for a plan with chunks, order and buffers filled in.
PredictedCycles estimate_cycles(const TilingPlan& plan, const MachineConfig& config);

/// Cycles after which a matmul of `rows` (P) rows frees its buffers: P-1 + R+C-1 from its first row
/// to its retirement, and one before an instruction that waits for it starts.
double matmul_turnaround(double rows, const MachineConfig& config);

/// Cycles between the first rows of consecutive matmuls of `rows` rows, each with its own tile.
double fold_pitch(double rows, const MachineConfig& config);

}  // namespace weft
