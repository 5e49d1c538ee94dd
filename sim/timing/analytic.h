// The clock of the engines `analytic` and `fast`: the recurrences of docs/timing.md, solved
// instruction by instruction, without SystemC and without values. They share only constants and the
// channel's arithmetic (sim/timing) with the SystemC units of `timed`, and not even constants with
// the clocked array of `stepped`. Otherwise their agreement would prove nothing.
#pragma once

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft {

/// When every instruction is dispatched, starts and retires. The program must be valid for the
/// machine. Throws DeadlockError. Linear in the number of instructions.
Timeline analytic_timeline(const MachineConfig& config, const Program& program);

}  // namespace weft
