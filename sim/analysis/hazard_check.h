// Checks that a run was free of races. If two instructions touch the same row and at least one of
// them writes it, their accesses must happen in program order. Then time order equals program order
// for every row, so `fast` may compute values in program order.
//
// In cycles: a row written at the end of cycle w is readable from w+1. A row read in cycle r is
// free for a new value from r+1. If the first push of a tile is in cycle W, its FIFO slot is free
// from W+R. The check covers the rows of the unified buffer, the accumulators and host memory.
// Source: docs/timing.md.
#pragma once

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Throws HazardError for the first instruction, in program order, that breaks the rule. The
/// message names cycle, instruction, unit and row, and the instruction with which it collides.
void check_hazards(const MachineConfig& config, const Program& program, const Timeline& timeline);

}  // namespace weft
