// The clock of the engines `analytic` and `fast` for a whole program. It shares only the
// constants and the channel arithmetic of sim/timing with the SystemC units of `timed`, and not
// even the constants with the clocked array of `stepped`. So their agreement is evidence that all
// are right.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction_stream.h"
#include "sim/isa/program.h"
#include "sim/timing/critical_path.h"
#include "sim/timing/stall_report.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Computes when each instruction is dispatched, starts and retires. The program must be valid for
/// the machine. Throws DeadlockError. Takes time linear in the number of instructions.
Timeline analytic_timeline(const MachineConfig& config, const Program& program);

/// The cycles of a program that is made while it runs and not held: its last retirement + 1. What
/// repeats is skipped (sim/timing/repetition.h). Takes the number of instructions that were
/// replayed from `left`; nullopt if more would be needed, or if there are more than `most` cycles.
/// The instructions must be valid for the machine. Throws DeadlockError.
std::optional<Cycle> analytic_total(const MachineConfig& config, InstructionStream& stream,
                                    std::uint64_t& left,
                                    Cycle most = std::numeric_limits<Cycle>::max());

/// The critical path of a program, divided among groups of its instructions such as the layers of a
/// network; group_of has a number below `groups` for each instruction. The groups sum to the total.
/// The program must be valid for the machine. Throws DeadlockError.
std::vector<CriticalPath> critical_paths(const MachineConfig& config, const Program& program,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups);

/// The critical path of a whole program.
CriticalPath critical_path(const MachineConfig& config, const Program& program);

/// The error for a stream at which a clock is stuck.
DeadlockError stuck(Cycle last_retired);
/// The error for a program at which a clock is stuck: says what each unit waits for.
DeadlockError stuck(const MachineConfig& config, const Program& program,
                    const RunProgress& progress, Cycle last_retired);

}  // namespace weft
