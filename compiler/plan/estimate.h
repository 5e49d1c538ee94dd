// What a tiling would cost, in closed form: the planner's measure of a candidate. It is a
// prediction and never reported as a cycle count; the simulator counts the cycles.
//
//   startup | first activations arrive | the larger of array time and transfer time | last results
//
// Array time is a pitch for each region's worth of results: the slowest of the resources that every
// one of them passes through.
#pragma once

#include "compiler/plan/tiling_plan.h"

namespace weft {

/// Doubles: they rank candidates whose products may exceed 64 bits.
struct PredictedCycles {
  double array = 0;  // if transfers never kept the array waiting
  double total = 0;
};

/// The cycles of a run, for a plan whose chunks, order and buffers are filled in.
PredictedCycles estimate_cycles(const TilingPlan& plan, const MachineConfig& config);

/// Cycles between the retirements that recycle buffers, for matmuls of `rows` rows: from a matmul's
/// first row to its retirement, P-1 + R+C-1, and one for whoever waits for it.
double matmul_turnaround(double rows, const MachineConfig& config);

/// Cycles between the first rows of consecutive matmuls of `rows` rows, each with its own tile.
double fold_pitch(double rows, const MachineConfig& config);

}  // namespace weft
