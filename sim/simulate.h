// The front door of the simulator: one machine, one program, one result, whichever engine.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/unified_buffer.h"
#include "sim/stats/result.h"
#include "sim/trace/array_recording.h"

namespace weft {

/// analytic: recurrences, cycles only. fast: timed SystemC, values by SIMD kernels.
/// stepped: SystemC with every PE register advanced every cycle. rtl: the same with the array in
/// SystemVerilog, compiled by Verilator.
enum class Engine : std::uint8_t { kAnalytic, kFast, kStepped, kRtl };

std::string_view to_string(Engine engine);
std::optional<Engine> engine_from_string(std::string_view name);

struct SimulateOptions {
  Engine engine = Engine::kFast;
  unsigned threads = 1;  // for the kernels of `fast`; the bits do not depend on it
  /// Called now and then with the share done (0 to 1), never from another thread.
  std::function<void(double)> progress;
  bool lockstep = false;        // rtl only: run `stepped` beside it and compare every register
  std::ostream* vcd = nullptr;  // stepped and rtl: where a waveform of the array goes
  /// fast only: called after each instruction, in program order, with the values as they are then.
  std::function<void(std::size_t instruction, const UnifiedBuffer& buffer)> observe = {};
};

/// Runs `program` on the machine. `memory` supplies and takes the values; `analytic` never touches
/// it and accepts nullptr. May be called any number of times in one process.
/// Throws InputError (the program does not fit the machine, the waveform cannot be written),
/// ConfigError (rtl has no such array), HazardError, DeadlockError, LockstepError.
Result simulate(const MachineConfig& config, const Program& program, HostMemory* memory,
                const SimulateOptions& options);

/// The values alone of a run that simulate() has made, by engine fast, of the same program on the
/// same machine: other values in `memory` take the same cycles. Throws InputError from `memory`.
void simulate_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                     const SimulateOptions& options);

/// What enters the array in cycles [0, cycles) of the run that simulate() makes of the same
/// arguments: the values of `stepped`, whose cycles are every engine's. 0 < cycles <= 2^31; beyond
/// the end of the run nothing enters. Results in `memory` are overwritten with the same values as
/// far as the run gets. Throws as simulate() does, except for hazards, which it does not look for.
ArrayRecording record_array(const MachineConfig& config, const Program& program, HostMemory& memory,
                            Cycle cycles);

}  // namespace weft
