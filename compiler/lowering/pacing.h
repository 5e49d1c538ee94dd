// When instructions that are not needed yet enter the program: early enough that their unit runs
// ahead of the array, late enough that they do not fill its queue. A full queue stops the
// sequencer, and with it matmuls that could run.
//
// The matmul queue lets the sequencer be queue_depth matmuls ahead of the array. So with deep
// queues everything may stand next to the matmul that it belongs to; only what must be further
// ahead than that, or would wait for longer than the queue is deep, is moved. All in matmuls.
#pragma once

#include <cstdint>

#include "compiler/plan/tiling_plan.h"

namespace weft {

struct Pacing {
  std::uint64_t fetch_ahead = 1;  // tiles fetched ahead of the matmul just emitted
  std::uint64_t load_ahead = 1;   // ring loads ahead of the matmul just emitted
  std::uint64_t slot_lag = 1;     // matmuls between a slice's last use and its slot's next load
  std::uint64_t vector_lag = 1;   // matmuls between a region's last matmul and its vector
  std::uint64_t store_lag = 1;    // ... and its store
};

Pacing pace(const TilingPlan& plan, const MachineConfig& config);

}  // namespace weft
