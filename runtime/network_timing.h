// Times a network on engine `analytic` while its instructions are written, without holding them.
#pragma once

#include <functional>

#include "compiler/schedule/compile_network.h"
#include "runtime/network_run.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

/// The run of the same network with run_network() on engine `analytic`, without timelines. Memory
/// depends on the network's layers, the machine's buffers, and the number of blocks that pass
/// through host memory, not on how many instructions there are: up to 2^32 - 1 in each program.
/// `progress`, if given, is called with the share done (0 to 1). Throws InputError for a longer
/// program, HazardError, DeadlockError.
NetworkRun time_network(const network::ScheduledNetwork& network, const MachineConfig& config,
                        const std::function<void(double)>& progress = {});

}  // namespace weft::runtime
