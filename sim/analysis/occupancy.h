// How full the memories of the machine are, cycle by cycle.
//
//   unified buffer   rows whose content is still needed: from the first cycle of its write to the
//   accumulators     last cycle in which it is touched (sim/analysis/row_lives.h); a row that a
//   load
//                    writes counts from the load's start, as its bytes may arrive in any order, and
//                    one that a store reads until the store has retired
//   weight FIFO      tiles: from the cycle in which the fetch retires until the tile's last row has
//                    been pushed, R cycles from its push's start; to the end of the run if it is
//                    never pushed
//
// So a run that needs all that it writes ends at 0, and none exceeds what the machine has. Lanes of
// a row are told apart in narrow rows; a wide row counts as a whole. All functions take the
// timeline of a complete run without hazards, and time and memory by accesses, not by cycles or
// rows but for strided reads, which cut a range into its rows.
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
