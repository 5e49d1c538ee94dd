// Times a network on engine `analytic` while its instructions are written, without holding them.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/schedule/compile_network.h"
#include "runtime/network_run.h"
#include "sim/analysis/result.h"
#include "sim/analysis/run_analysis.h"
#include "sim/config/machine_config.h"
#include "sim/memory/physical_memory.h"

namespace weft::runtime {

/// The run of the same network with run_network() on engine `analytic`, without timelines. Memory
/// depends on the network's layers, the machine's buffers, and the longest stretch of instructions
/// without a matmul, which the next matmul may wait for; not on how many instructions there are: up
/// to 2^32 - 1 in each program. `progress`, if given, is called with the share done (0 to 1).
/// Throws InputError for a longer program, or a stretch that needs more than `memory_bytes`,
/// HazardError, DeadlockError.
NetworkRun time_network(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                        const std::function<void(double)>& progress = {},
                        std::uint64_t memory_bytes = physical_memory_bytes() / 4 * 3);

/// The same programs on a machine with other rates and latencies, which need no other program;
/// without a bound. `made_for` is the machine for which the network was scheduled; `machine`
/// differs from it in nothing else.
NetworkRun time_network_on(const compiler::ScheduledNetwork& network, const MachineConfig& made_for,
                           const MachineConfig& machine,
                           std::uint64_t memory_bytes = physical_memory_bytes() / 4 * 3);

/// The run of one program, in the same way; `observer` sees it. If the program is no product in
/// rings, `tile` holds the numbers of each instruction while `observer` is told of it. Throws like
/// time_network().
Result time_segment(const compiler::ScheduledSegment& scheduled, const MachineConfig& config,
                    RunObserver& observer, compiler::TileNumbers& tile,
                    std::uint64_t memory_bytes = physical_memory_bytes() / 4 * 3);

}  // namespace weft::runtime
