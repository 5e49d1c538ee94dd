// The SystemC machine put together, and one run of it.
//
//                      sequencer
//        +--------+-------+--------+--------+
//        v        v       v        v        v
//      load     fetch   matmul   vector   store        each with its queue
//        |        |       |        |        |
//        +-TLM-+  | TLM   array    |   +TLM-+
//              v  v                    v
//          memory channels (none, one shared, or weight memory and host link)
#pragma once

#include <functional>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Runs the machine with timed waits, without values. Throws DeadlockError.
Timeline run_timed_machine(const MachineConfig& config, const Program& program);

/// Runs the machine with every PE register advanced every cycle; values move between `memory` and
/// the array. `progress` may be empty. Throws DeadlockError.
Timeline run_stepped_machine(const MachineConfig& config, const Program& program,
                             HostMemory& memory, const std::function<void(double)>& progress);

}  // namespace weft
