// How full the memories of the machine are, cycle by cycle.
//
//   unified buffer   rows with content that is still needed: from the first cycle of its write to
//   accumulators     the last cycle in which it is touched (sim/analysis/row_lives.h). A row that a
//                    load writes counts from the load's start, because its bytes may arrive in any
//                    order; a row that a store reads counts until the store has retired
//   weight FIFO      tiles: from the cycle in which the fetch retires until the tile's last row has
//                    been pushed, R cycles after the push started; to the end of the run if the
//                    tile is never pushed
//
// So every count is 0 after the run and never exceeds the size of the memory. In narrow rows the
// lanes are tracked; a wide row counts as a whole. All functions need the timeline of a complete
// run without hazards. Their time and memory grow with the number of accesses, not of cycles or
// rows; only strided reads cut a range into its rows.
#pragma once

#include "sim/analysis/staircase.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Rows of the unified buffer.
Staircase buffer_occupancy(const MachineConfig& config, const Program& program,
                           const Timeline& timeline);

/// Rows of the accumulators.
Staircase accumulator_occupancy(const MachineConfig& config, const Program& program,
                                const Timeline& timeline);

/// Tiles in the weight FIFO.
Staircase fifo_occupancy(const MachineConfig& config, const Program& program,
                         const Timeline& timeline);

}  // namespace weft
