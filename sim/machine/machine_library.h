// The SystemC machine as a library that weft loads, lib/weft/machine.so. Loading libsystemc takes
// several milliseconds, so commands without a simulation, and `analytic`, do without it.
#pragma once

#include "sim/machine/machine.h"

namespace weft {

/// What machine.so exports as `weft_machine`: the functions of machine.h.
struct MachineLibrary {
  const char* interface = nullptr;  // hash of the headers that it was compiled from
  Timeline (*run_timed)(const MachineConfig& config, const Program& program) = nullptr;
  ArrayRecording (*record_clocked)(const MachineConfig& config, const Program& program,
                                   HostMemory& memory, Cycle cycles) = nullptr;
  ClockedResult (*run_clocked)(const ClockedRun& run) = nullptr;
};

}  // namespace weft
