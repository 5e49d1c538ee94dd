#include "sim/simulate.h"

#include <array>
#include <utility>

#include "sim/array/analytic.h"
#include "sim/array/functional_core.h"
#include "sim/config/error.h"
#include "sim/hazards/hazard_check.h"
#include "sim/machine/machine.h"
#include "sim/stats/summary.h"

namespace weft {
namespace {

constexpr std::array<std::pair<Engine, std::string_view>, 3> kEngines = {{
    {Engine::kAnalytic, "analytic"},
    {Engine::kFast, "fast"},
    {Engine::kStepped, "stepped"},
}};

Timeline run_engine(const MachineConfig& config, const Program& program, HostMemory* memory,
                    const SimulateOptions& options) {
  switch (options.engine) {
    case Engine::kAnalytic:
      return analytic_timeline(config, program);
    case Engine::kFast:
      return run_timed_machine(config, program);
    case Engine::kStepped:
      break;
  }
  return run_stepped_machine(config, program, *memory, options.progress);
}

// A push that would begin after the last retirement is none of this run's.
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

Result simulate(const MachineConfig& config, const Program& program, HostMemory* memory,
                const SimulateOptions& options) {
  validate(config);
  validate(program, config);
  if (options.engine != Engine::kAnalytic && memory == nullptr) {
    throw InputError("this engine computes values and needs memory to read and write them");
  }
  Timeline timeline = run_engine(config, program, memory, options);
  drop_late_pushes(timeline);
  check_hazards(config, program, timeline);
  if (options.engine == Engine::kFast) {
    execute_values(config, program, *memory, options.threads, options.progress);
  }
  return summarize(config, program, std::move(timeline));
}

}  // namespace weft
