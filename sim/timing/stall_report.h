// The report of a machine that can never proceed: each unit's head instruction and its reasons to
// wait.
#pragma once

#include <cstdint>
#include <string>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"
#include "sim/timing/unit_streams.h"

namespace weft {

/// How far a run came: dispatched instructions in all, started ones by unit, tiles pushed.
struct RunProgress {
  std::uint32_t dispatched = 0;
  PerUnit<std::uint32_t> started;
  std::uint32_t tiles_pushed = 0;
};

/// One line for a DeadlockError: the cycle of the last retirement (-1 without any), then for each
/// unit with work left its head instruction, and the counts or the tile for which it waits.
std::string stall_report(const MachineConfig& config, const Program& program,
                         const UnitStreams& streams, const RunProgress& progress,
                         Cycle last_retired);

}  // namespace weft
