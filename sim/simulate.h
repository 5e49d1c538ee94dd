// The entry point of the simulator: one machine, one program, one result, with any engine.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/analysis/result.h"
#include "sim/analysis/run_analysis.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction_stream.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/unified_buffer.h"
#include "sim/trace/array_recording.h"

namespace weft {

/// How a run finds its cycles, and how it computes values:
///   analytic  recurrences; no values
///   fast      recurrences; SIMD kernels, in program order
///   timed     SystemC units that wait for events; the same kernels
///   stepped   SystemC units that clock every register of the array
///   rtl       the same, with the array in SystemVerilog, compiled by Verilator
/// `analytic` and `fast` have no global state: several threads may simulate at once. SystemC has
/// one simulation per process, so no two runs of the other three may overlap.
enum class Engine : std::uint8_t { kAnalytic, kFast, kTimed, kStepped, kRtl };

std::string_view to_string(Engine engine);
/// Returns nullopt if no engine has this name.
std::optional<Engine> engine_from_string(std::string_view name);
/// The names of all engines, for messages: "analytic, fast, timed, stepped or rtl".
std::string_view engine_names();

/// True if the engine computes values with kernels, instruction after instruction.
constexpr bool has_kernels(Engine engine) {
  return engine == Engine::kFast || engine == Engine::kTimed;
}

struct SimulateOptions {
  Engine engine = Engine::kFast;
  unsigned threads = 1;  // for the kernels; the results do not depend on it
  /// Called from time to time with the share done (0 to 1), always from the calling thread.
  std::function<void(double)> progress = {};
  bool lockstep = false;        // rtl only: run `stepped` beside it and compare every register
  std::ostream* vcd = nullptr;  // stepped and rtl: receives a waveform of the array
  CycleRange vcd_cycles = {};   // the cycles that the waveform shows
  /// fast and timed only: called after each instruction, in program order, with the values at that
  /// time.
  std::function<void(std::size_t instruction, const UnifiedBuffer& buffer)> observe = {};
};

/// Runs `program` on the machine. `memory` supplies and takes the values; `analytic` never touches
/// it and accepts nullptr. May be called any number of times in one process.
/// Throws InputError (the program does not fit the machine, the waveform cannot be written),
/// ConfigError (rtl has no such array), HazardError, DeadlockError, LockstepError.
Result simulate(const MachineConfig& config, const Program& program, HostMemory* memory,
                const SimulateOptions& options);

/// The same with engine `analytic` for a program that is made while it runs. Neither the program
/// nor its timeline is held: the memory depends on the machine's buffers and queues, not on the
/// length of the program. What repeats is skipped (sim/timing/repetition.h). The stream's
/// instructions must be valid for the machine. `observer` may be null. Throws ConfigError,
/// HazardError, DeadlockError.
Result simulate(const MachineConfig& config, InstructionStream& stream,
                RunObserver* observer = nullptr, bool skip_repetitions = true);

/// The same for instructions that are pushed one by one.
class StreamedRun {
 public:
  /// `config` and `observer` must outlive this; `observer` may be null. Throws ConfigError.
  explicit StreamedRun(const MachineConfig& config, RunObserver* observer = nullptr);

  /// The instructions from here on belong to `group`, such as a layer, in paths().
  void begin_group(std::uint32_t group) { run_.begin_group(group); }
  /// The program's next instruction. Throws HazardError, DeadlockError.
  void accept(const Instruction& instruction);
  /// The program is complete. Throws like accept().
  Result finish();
  /// After finish(): the critical path by group. Groups without cycles at the end are missing.
  const std::vector<CriticalPath>& paths() const { return run_.paths(); }

 private:
  RunAnalysis run_;
};

/// Computes the values of a run with kernels, but not its cycles, which depend on no value.
/// simulate() must have run the same program on the same machine. Throws InputError from `memory`.
void simulate_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                     const SimulateOptions& options);

/// Records what enters the array in cycles [0, cycles) when simulate() runs the same arguments. It
/// runs `stepped`, which has the same cycles as every engine. 0 < cycles <= 2^31; after the end of
/// the run nothing enters. Writes the results that the run reaches into `memory` again, with the
/// same values. Throws like simulate(), but does not look for hazards.
ArrayRecording record_array(const MachineConfig& config, const Program& program, HostMemory& memory,
                            Cycle cycles);

}  // namespace weft
