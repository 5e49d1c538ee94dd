// The `analytic` engine: the recurrences of docs/timing.md solved instruction by instruction, no
// SystemC, no values. It shares with the SystemC units only the constants and the channel
// arithmetic of sim/timing, and with the clocked array not even the constants, so that their
// agreement means something.
#pragma once

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// When every instruction is dispatched, starts and retires. The program must be valid for the
/// machine. Throws DeadlockError. Linear in the number of instructions.
Timeline analytic_timeline(const MachineConfig& config, const Program& program);

}  // namespace weft
