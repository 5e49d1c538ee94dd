// The figures of a run that depend only on machine, program and timeline.
#pragma once

#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft {

/// Last retirement + 1; 0 for an empty program.
Cycle total_cycles(const Timeline& timeline);

/// Adds the operation's bytes to the traffic of `result`, its multiply-accumulates, and its events
/// except pushes.
void count_work(const MachineConfig& config, const Operation& operation, Result& result);

/// Everything in Result except compared_cycles, from a complete timeline.
Result summarize(const MachineConfig& config, const Program& program, Timeline timeline);

}  // namespace weft
