// When instructions that are not needed yet enter the program: early enough that their unit runs
// ahead of the array, late enough that they do not fill its queue. A full queue stops the
// sequencer, and with it matmuls that could run.
//
// The matmul queue lets the sequencer run queue_depth matmuls ahead of the array. So with deep
// queues an instruction may stand next to its matmul. It is moved only if it must be further ahead,
// or if it would wait longer than the queue is deep. All distances are in matmuls.
#pragma once

#include <cstdint>

#include "compiler/mapping/tiling_plan.h"

namespace weft {

struct Pacing {
  std::uint64_t fetch_ahead = 1;  // tiles fetched ahead of the matmul just emitted
  std::uint64_t load_ahead = 1;   // ring loads ahead of the matmul just emitted
  std::uint64_t slot_lag = 1;     // matmuls between a slice's last use and its slot's next load
  std::uint64_t vector_lag = 1;   // matmuls between a region's last matmul and its vector
  std::uint64_t store_lag = 1;    // matmuls between a region's last matmul and its store
};

Pacing pace(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft
