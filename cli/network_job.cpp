#include "cli/network_job.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "cli/network_check.h"
#include "cli/network_pipeline.h"
#include "cli/network_report.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "compiler/network/network_program.h"
#include "models/networks/count.h"
#include "rtl/cosim/rtl_models.h"
#include "sim/config/printable.h"

namespace weft::cli {
namespace {

NetworkReport start_report(const NetworkJob& job) {
  NetworkReport report;
  report.command = job.command;
  report.network = job.network;
  report.engine = job.options.engine;
  report.machine = job.machine;
  report.batch = job.batch;
  for (const graph::ValueId input : job.graph.inputs) {
    report.inputs.push_back(job.graph.values[input]);
  }
  report.parameters = networks::count_parameters(job.graph);
  return report;
}

NetworkRun run_on(Engine engine, const network::NetworkProgram& program, const NetworkJob& job,
                  const Streams& streams) {
  Progress progress(streams);
  NetworkRunOptions options;
  options.simulate.engine = engine;
  options.simulate.threads = job.options.threads;
  options.simulate.progress = [&](double share) { progress.update(share); };
  options.keep_results = job.options.check != CheckMode::kNone && engine == Engine::kFast;
  return run_network(program, job.machine, job.inputs, options);
}

NetworkRun timed_run(const network::NetworkProgram& program, const NetworkJob& job,
                     const Streams& streams, double& seconds) {
  const auto start = std::chrono::steady_clock::now();
  NetworkRun run = run_on(job.options.engine, program, job, streams);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

/// The first value that the host took from both and that differs in a bit.
std::optional<std::string> difference(const graph::Graph& graph, Engine engine,
                                      const NetworkRun& run, const NetworkRun& fast) {
  for (const auto& [value, tensor] : run.values) {
    if (tensor == fast.values.at(value)) continue;
    return fmt::format("value {}: engines {} and fast computed different bits",
                       printable(graph.values[value].name), to_string(engine));
  }
  return std::nullopt;
}

/// Only `fast` shows what each layer left in the unified buffer. What other engines computed is
/// right if that is, and if the values that the host took are the same, bit for bit.
NetworkCheck check(const network::NetworkProgram& program, const NetworkJob& job,
                   const NetworkRun& run, const Streams& streams) {
  if (job.options.engine == Engine::kFast) {
    return check_network(program, job.machine, job.inputs, run);
  }
  const NetworkRun fast = run_on(Engine::kFast, program, job, streams);
  NetworkCheck check = check_network(program, job.machine, job.inputs, fast);
  if (!check.mismatch) {
    check.mismatch = difference(program.graph, job.options.engine, run, fast);
    check.bit_exact = check.bit_exact && !check.mismatch;
  }
  return check;
}

std::string json_text(const NetworkReport& report) {
  return network_report_json(report).dump(2) + "\n";
}

void write_files(const NetworkJob& job, const NetworkReport& report) {
  std::vector<FileContent> files;
  if (job.outputs) files = job.outputs->encode(report.run.outputs);
  if (job.options.json && !job.options.json_to_stdout()) {
    files.push_back({*job.options.json, json_text(report)});
  }
  write_files_together(files);
}

void print(const NetworkJob& job, const NetworkReport& report, const Streams& streams) {
  if (job.options.json_to_stdout()) {
    streams.out << json_text(report);
  } else if (!job.options.quiet) {
    streams.out << network_report_text(report, streams.style);
  }
  if (report.check && report.check->mismatch) {
    streams.err << fmt::format("weft: {}\n", *report.check->mismatch);
  }
}

}  // namespace

void check_before_network(const MachineConfig& machine, const RunOptions& options) {
  if (options.json && !options.json_to_stdout()) check_writable(*options.json);
  if (options.engine == Engine::kRtl) find_rtl_model(machine);
}

int run_network_job(NetworkJob job, const Streams& streams) {
  NetworkReport report = start_report(job);
  PreparedNetwork prepared = prepare_network(std::move(job.graph), job.machine,
                                             job.options.with_values() ? &job.inputs : nullptr);
  report.notes = std::move(prepared.notes);
  const network::NetworkProgram program =
      network::compile_network(std::move(prepared.graph), job.machine);
  report.run = timed_run(program, job, streams, report.wall_seconds);
  if (job.options.check != CheckMode::kNone) {
    report.check = check(program, job, report.run, streams);
  }
  write_files(job, report);
  print(job, report, streams);
  return report.check && report.check->mismatch ? 1 : 0;
}

}  // namespace weft::cli
