#include "runtime/job/network_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "base/error.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "runtime/job/lockstep_difference.h"
#include "sim/machine/datapaths/lockstep_error.h"

namespace weft::runtime {
namespace {

/// Names the first value that the host read and that differs in a bit from the fast run.
std::optional<std::string> difference(const graph::Graph& graph, Engine engine,
                                      const NetworkRun& run, const NetworkRun& fast) {
  for (const auto& [value, tensor] : run.values) {
    if (tensor == fast.values.at(value)) continue;
    return fmt::format("value {}: engines {} and fast computed different bits",
                       printable(graph.values[value].name), to_string(engine));
  }
  return std::nullopt;
}

}  // namespace

NetworkRun run_network(const NetworkJob& job, const RunObservers& observers, double& seconds) {
  NetworkRunOptions options;
  options.simulate = simulate_options(job.options, observers);
  options.keep_results = job.options.check != CheckMode::kNone && has_kernels(job.options.engine);
  options.keep_timelines = observers.keep_timelines;
  options.record = observers.record;
  const Stopwatch watch;
  try {
    NetworkRun run = run_network(job.program, job.machine, job.inputs, options);
    seconds = watch.seconds();
    return run;
  } catch (const LockstepError& error) {
    report_difference(error);
  }
}

NetworkCheck check_run(const NetworkJob& job, const NetworkRun& run,
                       const std::function<void(double)>& progress) {
  if (has_kernels(job.options.engine)) {
    return check_network(job.program, job.machine, job.inputs, run);
  }
  RunOptions options;
  options.threads = job.options.threads;
  RunObservers observers;
  observers.progress = progress;
  double seconds = 0;
  const NetworkRun fast =
      run_network({job.program, job.machine, job.inputs, options}, observers, seconds);
  NetworkCheck check = check_network(job.program, job.machine, job.inputs, fast);
  if (!check.mismatch) {
    check.mismatch = difference(job.program.graph, job.options.engine, run, fast);
    check.bit_exact = check.bit_exact && !check.mismatch;
  }
  return check;
}

const Program& only_program(const compiler::NetworkProgram& program) {
  const auto is_program = [](const auto& step) {
    return std::holds_alternative<compiler::MachineStep>(step);
  };
  const auto programs = std::ranges::count_if(program.steps, is_program);
  if (programs == 1) {
    return std::get<compiler::MachineStep>(*std::ranges::find_if(program.steps, is_program))
        .program;
  }
  throw InputError(fmt::format(
      "--vcd shows one program, but the network becomes {}; drop it, or choose a network or a "
      "machine that leaves no layer in between to the host",
      programs));
}

}  // namespace weft::runtime
