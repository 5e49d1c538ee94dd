#include "sim/simulate.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/analysis/hazards/hazard_check.h"
#include "sim/analysis/run_analysis.h"
#include "sim/analysis/summary.h"
#include "sim/array/functional_core.h"
#include "sim/machine/machine.h"
#include "sim/timing/analytic.h"
#include "sim/timing/repetition.h"

namespace weft {
namespace {

constexpr std::array<std::pair<Engine, std::string_view>, 5> kEngines = {{
    {Engine::kAnalytic, "analytic"},
    {Engine::kFast, "fast"},
    {Engine::kTimed, "timed"},
    {Engine::kStepped, "stepped"},
    {Engine::kRtl, "rtl"},
}};

/// Keeps when everything happened.
class TimelineKeeper final : public RunObserver {
 public:
  explicit TimelineKeeper(std::size_t instructions) { timeline.instructions.reserve(instructions); }

  void timed(std::uint64_t, const Instruction&, const InstructionTiming& timing) override {
    timeline.instructions.push_back(timing);
  }
  void pushed(Cycle cycle) override { timeline.pushes.push_back(cycle); }

  Timeline timeline;
};

Result run_recurrences(const MachineConfig& config, const Program& program) {
  TimelineKeeper keeper(program.code.size());
  const auto name = [&](std::uint64_t index) { return instruction_name(program, index); };
  RunAnalysis run(config, name, &keeper);
  for (const Instruction& instruction : program.code) {
    if (!run.accept(instruction))
      throw stuck(config, program, run.clock().progress(), run.clock().last_retired());
  }
  if (!run.finish())
    throw stuck(config, program, run.clock().progress(), run.clock().last_retired());
  Result result = run.result();
  result.timeline = std::move(keeper.timeline);
  return result;
}

/// The name of an instruction in a message, for programs that are not held.
std::string number_name(std::uint64_t index) {
  return fmt::format("instruction {}", index);
}

ClockedResult run_units(const MachineConfig& config, const Program& program, HostMemory* memory,
                        const SimulateOptions& options) {
  if (options.engine == Engine::kTimed) return {run_timed_machine(config, program), 0};
  const bool rtl = options.engine == Engine::kRtl;
  return run_clocked_machine({.config = config,
                              .program = program,
                              .memory = *memory,
                              .array = rtl ? ArrayModel::kRtl : ArrayModel::kStepped,
                              .lockstep = options.lockstep,
                              .vcd = options.vcd,
                              .vcd_cycles = options.vcd_cycles,
                              .progress = options.progress});
}

/// Throws InputError for options that the engine would ignore, because they are mistakes.
void check_options(const SimulateOptions& options) {
  const bool clocked = options.engine == Engine::kStepped || options.engine == Engine::kRtl;
  if (options.lockstep && options.engine != Engine::kRtl) {
    throw InputError("lock-step checking compares rtl with stepped and needs --engine rtl");
  }
  if (options.observe && !has_kernels(options.engine)) {
    throw InputError("only --engine fast and --engine timed compute values in program order");
  }
  if (options.vcd != nullptr && !clocked) {
    throw InputError("only --engine stepped and --engine rtl have registers for a waveform");
  }
}

// Removes pushes that would begin after the last retirement, which ends the run.
void drop_late_pushes(Timeline& timeline) {
  const Cycle total = total_cycles(timeline);
  while (!timeline.pushes.empty() && timeline.pushes.back() >= total) timeline.pushes.pop_back();
}

}  // namespace

std::string_view to_string(Engine engine) {
  for (const auto& [value, name] : kEngines) {
    if (value == engine) return name;
  }
  return "unknown";
}

std::optional<Engine> engine_from_string(std::string_view name) {
  for (const auto& [value, known] : kEngines) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string_view engine_names() {
  return "analytic, fast, timed, stepped or rtl";
}

void simulate_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                     const SimulateOptions& options) {
  execute_values(config, program, memory, {options.threads, options.progress, options.observe});
}

Result simulate(const MachineConfig& config, const Program& program, HostMemory* memory,
                const SimulateOptions& options) {
  check_options(options);
  validate(config);
  validate(program, config);
  if (options.engine != Engine::kAnalytic && memory == nullptr) {
    throw InputError("this engine computes values and needs memory to read and write them");
  }
  Result result;
  if (options.engine == Engine::kAnalytic || options.engine == Engine::kFast) {
    result = run_recurrences(config, program);
    drop_late_pushes(result.timeline);
  } else {
    auto [timeline, compared_cycles] = run_units(config, program, memory, options);
    drop_late_pushes(timeline);
    check_hazards(config, program, timeline);
    result = summarize(config, program, std::move(timeline));
    // All engines have the same cycles, so the recurrences know the path of any run.
    result.critical_path = critical_path(config, program);
    result.compared_cycles = compared_cycles;
  }
  if (has_kernels(options.engine)) simulate_values(config, program, *memory, options);
  return result;
}

Result simulate(const MachineConfig& config, InstructionStream& stream, RunObserver* observer,
                bool skip_repetitions) {
  validate(config);
  RunAnalysis run(config, number_name, observer);
  RepetitionSkipper skipper(stream, [&](StateVisitor& visitor) {
    run.visit(visitor);
    stream.visit(visitor);
  });
  std::vector<Instruction> instructions;
  while (stream.next(instructions)) {
    for (const Instruction& instruction : instructions) {
      if (!run.accept(instruction)) throw stuck(run.clock().last_retired());
    }
    instructions.clear();
    if (skip_repetitions && run.may_skip()) skipper.skip();
  }
  if (!run.finish()) throw stuck(run.clock().last_retired());
  Result result = run.result();
  result.skipped_instructions = skipper.skipped_instructions();
  return result;
}

StreamedRun::StreamedRun(const MachineConfig& config, RunObserver* observer)
    : run_((validate(config), config), number_name, observer) {}

void StreamedRun::accept(const Instruction& instruction) {
  if (!run_.accept(instruction)) throw stuck(run_.clock().last_retired());
}

Result StreamedRun::finish() {
  if (!run_.finish()) throw stuck(run_.clock().last_retired());
  return run_.result();
}

ArrayRecording record_array(const MachineConfig& config, const Program& program, HostMemory& memory,
                            Cycle cycles) {
  validate(config);
  validate(program, config);
  if (cycles <= 0 || cycles > Cycle{1} << 31) {
    throw InputError(fmt::format("{} cycles to record: give 1 to 2147483648", cycles));
  }
  return record_clocked_machine(config, program, memory, cycles);
}

}  // namespace weft
