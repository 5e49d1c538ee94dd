// The complete SystemC machine, and the functions that run it.
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

#include <cstdint>
#include <functional>
#include <iosfwd>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/timing/timeline.h"
#include "sim/trace/array_recording.h"

namespace weft {

/// Runs the machine with timed waits, without values. Throws DeadlockError.
Timeline run_timed_machine(const MachineConfig& config, const Program& program);

/// The datapath in the matmul unit of a clocked run.
enum class ArrayModel : std::uint8_t { kStepped, kRtl };

struct ClockedRun {
  const MachineConfig& config;
  const Program& program;
  HostMemory& memory;
  ArrayModel array = ArrayModel::kStepped;
  bool lockstep = false;        // kRtl only: compare with kStepped after every edge
  std::ostream* vcd = nullptr;  // receives the waveform, if not null
  CycleRange vcd_cycles = {};   // what the waveform shows
  std::function<void(double)> progress;
};

/// Records what enters the array in cycles [0, cycles) of a run of the `stepped` machine, then
/// stops the run. cycles <= 2^31. The memory supplies the values; if the run is stopped early, its
/// results are incomplete. Throws like run_clocked_machine().
ArrayRecording record_clocked_machine(const MachineConfig& config, const Program& program,
                                      HostMemory& memory, Cycle cycles);

struct ClockedResult {
  Timeline timeline;
  std::uint64_t compared_cycles = 0;  // cycles that lock-step checking compared
};

/// Runs the machine and advances every PE register every cycle; values move between the memory and
/// the array. Throws DeadlockError, ConfigError (no such RTL), LockstepError, InputError (the
/// waveform cannot be written).
ClockedResult run_clocked_machine(const ClockedRun& run);

}  // namespace weft
