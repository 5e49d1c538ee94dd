// The proof that a run was free of races: for any two instructions that touch the same row, one of
// them writing, time orders the accesses as the program does. Then program order and time order are
// the same for every row, which is why `fast` may compute values in program order.
//
// In cycles: a row written at the end of cycle w is readable from w+1; a row read in cycle r is
// free for a new value from r+1; a FIFO slot is free from W+R of the tile that held it. The rows
// are those of the unified buffer, of the accumulators and of host memory. Source: docs/timing.md.
#pragma once

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Throws HazardError for the first instruction, in program order, that breaks the rule; the
/// message names cycle, instruction, unit and row, and the instruction that it collides with.
void check_hazards(const MachineConfig& config, const Program& program, const Timeline& timeline);

}  // namespace weft
