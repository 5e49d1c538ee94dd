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

/// What the matmul unit of a clocked run contains.
enum class ArrayModel : std::uint8_t { kStepped, kRtl };

struct ClockedRun {
  const MachineConfig& config;
  const Program& program;
  HostMemory& memory;
  ArrayModel array = ArrayModel::kStepped;
  bool lockstep = false;        // kRtl only: compare with kStepped after every edge
  std::ostream* vcd = nullptr;  // where the waveform goes
  std::function<void(double)> progress;
};

/// What enters the array in cycles [0, cycles) of a run of the `stepped` machine, which is stopped
/// there. cycles <= 2^31. The memory supplies the values; a run that is cut short leaves its
/// results unfinished. Throws as run_clocked_machine() does.
ArrayRecording record_clocked_machine(const MachineConfig& config, const Program& program,
                                      HostMemory& memory, Cycle cycles);

struct ClockedResult {
  Timeline timeline;
  std::uint64_t compared_cycles = 0;  // by lock-step checking
};

/// Runs the machine with every PE register advanced every cycle; values move between the memory and
/// the array. Throws DeadlockError, ConfigError (no such RTL), LockstepError, InputError (the
/// waveform cannot be written).
ClockedResult run_clocked_machine(const ClockedRun& run);

}  // namespace weft
