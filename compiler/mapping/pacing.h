// When instructions that are not needed yet enter the program: early enough that their unit runs
// ahead of the array, late enough that they do not fill its queue. A full queue stops the
// sequencer, and with it matmuls that could run.
//
// The matmul queue lets the sequencer run queue_depth matmuls ahead of the array. So with deep
// queues an instruction may stand next to its matmul. It is moved only if it must be further ahead,
// or if it would wait longer than the queue is deep. All distances are in matmuls.
#pragma once

#include "compiler/mapping/tiling_plan.h"

namespace weft {

/// The pacing of a plan that is otherwise complete.
Pacing pace(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft
