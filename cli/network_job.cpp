#include "cli/network_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "base/printable.h"
#include "cli/json.h"
#include "cli/lockstep_difference.h"
#include "cli/network_inputs.h"
#include "cli/network_report.h"
#include "cli/page/network_page.h"
#include "cli/page/page.h"
#include "cli/progress.h"
#include "cli/run_trace.h"
#include "cli/waveform.h"
#include "compiler/onnx/located.h"
#include "compiler/program/network_program.h"
#include "rtl/cosim/rtl_models.h"
#include "runtime/network_check.h"
#include "runtime/network_pipeline.h"

namespace weft::cli {
namespace {

runtime::NetworkRunOptions run_options(Engine engine, const NetworkJob& job, Progress& progress) {
  runtime::NetworkRunOptions options;
  options.simulate.engine = engine;
  options.simulate.threads = job.options.threads;
  options.simulate.progress = [&progress](double share) { progress.update(share); };
  options.keep_results = job.options.check != CheckMode::kNone && has_kernels(engine);
  return options;
}

/// Runs the network with everything that observes the run.
runtime::NetworkRun observed_run(const network::NetworkProgram& program, const NetworkJob& job,
                                 std::ostream* vcd, const Streams& streams) {
  Progress progress(streams);
  runtime::NetworkRunOptions options = run_options(job.options.engine, job, progress);
  options.simulate.lockstep = job.options.lockstep;
  options.simulate.vcd = vcd;
  options.simulate.vcd_cycles = job.options.vcd_cycles;
  options.keep_timelines = job.options.trace || job.options.html;
  if (job.options.html) {
    options.record = [&job](const Program& each, const Result& result) {
      return animated_cycles(job.machine, each, result);
    };
  }
  try {
    return runtime::run_network(program, job.machine, job.inputs, options);
  } catch (const LockstepError& error) {
    report_difference(error);
  }
}

runtime::NetworkRun timed_run(const network::NetworkProgram& program, const NetworkJob& job,
                              std::ostream* vcd, const Streams& streams, double& seconds) {
  const auto start = std::chrono::steady_clock::now();
  runtime::NetworkRun run = observed_run(program, job, vcd, streams);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

/// Names the first value that the host read and that differs in a bit from the fast run.
std::optional<std::string> difference(const graph::Graph& graph, Engine engine,
                                      const runtime::NetworkRun& run,
                                      const runtime::NetworkRun& fast) {
  for (const auto& [value, tensor] : run.values) {
    if (tensor == fast.values.at(value)) continue;
    return fmt::format("value {}: engines {} and fast computed different bits",
                       printable(graph.values[value].name), to_string(engine));
  }
  return std::nullopt;
}

/// Only `fast` and `timed` expose each layer's result in the unified buffer. Another engine passes
/// if the fast run is right and the host read the same values from both, bit for bit.
runtime::NetworkCheck check(const network::NetworkProgram& program, const NetworkJob& job,
                            const runtime::NetworkRun& run, const Streams& streams) {
  if (has_kernels(job.options.engine)) {
    return runtime::check_network(program, job.machine, job.inputs, run);
  }
  Progress progress(streams);
  const runtime::NetworkRun fast = runtime::run_network(program, job.machine, job.inputs,
                                                        run_options(Engine::kFast, job, progress));
  runtime::NetworkCheck check = runtime::check_network(program, job.machine, job.inputs, fast);
  if (!check.mismatch) {
    check.mismatch = difference(program.graph, job.options.engine, run, fast);
    check.bit_exact = check.bit_exact && !check.mismatch;
  }
  return check;
}

std::string json_text(const NetworkReport& report) {
  return json_file_text(network_report_json(report));
}

/// A waveform shows one program only. Throws InputError unless the network is one.
const Program& only_program(const network::NetworkProgram& program) {
  const auto is_program = [](const auto& step) {
    return std::holds_alternative<network::MachineStep>(step);
  };
  const auto programs = std::ranges::count_if(program.steps, is_program);
  if (programs == 1) {
    return std::get<network::MachineStep>(*std::ranges::find_if(program.steps, is_program)).program;
  }
  throw InputError(fmt::format(
      "--vcd shows one program, but the network becomes {}; drop it, or choose a network or a "
      "machine that leaves no layer in between to the host",
      programs));
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

/// Files that are written during the run and named at its end.
struct Recordings {
  std::optional<OutputStream> vcd = {};
  std::optional<OutputStream> trace = {};
  std::optional<OutputFile> html = {};

  void commit() {
    if (vcd) vcd->commit();
    if (trace) trace->commit();
    if (html) html->commit();
  }
};

/// Everything that can throw an error about the network.
void run_and_check(NetworkJob& job, NetworkReport& report, Recordings& recordings,
                   const Streams& streams) {
  if (job.options.with_values()) report.notes = notes_on_inputs(job.inputs);
  runtime::PreparedNetwork prepared = runtime::prepare_network(
      std::move(job.graph), job.machine, job.options.with_values() ? &job.inputs : nullptr);
  std::ranges::move(prepared.notes, std::back_inserter(report.notes));
  const network::NetworkProgram program =
      runtime::compile_prepared(std::move(prepared), job.machine);
  std::optional<OutputStream>& vcd = recordings.vcd;
  if (job.options.vcd) {
    open_waveform(job.options, job.machine, only_program(program), vcd);
  }
  report.run = timed_run(program, job, vcd ? &*vcd : nullptr, streams, report.wall_seconds);
  if (job.options.trace) {
    recordings.trace.emplace(*job.options.trace);
    const std::string title = fmt::format("{} {}", job.command, job.network);
    write_network_trace(*recordings.trace, title, job.machine, program, report.run);
  }
  if (job.host_time && host_layers(report) == 0) {
    report.notes.emplace_back("no layer runs on the host, so --host-time changes nothing");
  }
  report.outputs = summarize_outputs(report.run.outputs);
  if (job.options.check != CheckMode::kNone) {
    report.check = check(program, job, report.run, streams);
    if (auto note = runtime::note_beyond_binary32(*report.check))
      report.notes.push_back(*std::move(note));
  }
  if (job.options.html) {
    recordings.html.emplace(*job.options.html);
    recordings.html->write(page_html(network_page_data(job, program, report)));
  }
}

}  // namespace

NetworkReport start_report(const NetworkJob& job) {
  NetworkReport report = onnx_io::located(job.network, [&] {
    return describe_network(job.command, job.network, job.batch, job.graph);
  });
  report.engine = job.options.engine;
  report.machine = job.machine;
  report.conv = job.conv;
  report.sequence = job.sequence;
  report.host_time = job.host_time;
  report.with_values = job.options.with_values();
  return report;
}

void write_network_files(const NetworkJob& job, const runtime::NamedTensors& outputs,
                         const std::string& json) {
  std::vector<FileContent> files;
  if (job.outputs) files = job.outputs->encode(outputs);
  if (job.options.json && !job.options.json_to_stdout()) {
    files.push_back({*job.options.json, json});
  }
  write_files_together(files);
}

void check_before_network(const MachineConfig& machine, const RunOptions& options) {
  if (options.json && !options.json_to_stdout()) check_writable(*options.json);
  if (options.vcd) check_writable(*options.vcd);
  if (options.trace) check_writable(*options.trace);
  if (options.html) check_writable(*options.html);
  if (options.engine == Engine::kRtl) prepare_rtl_array(machine);
}

int run_network_job(NetworkJob job, const Streams& streams) {
  NetworkReport report = start_report(job);
  Recordings recordings;
  onnx_io::located(job.network, [&] { run_and_check(job, report, recordings, streams); });
  write_network_files(job, report.run.outputs, json_text(report));
  recordings.commit();
  print(job, report, streams);
  return report.check && report.check->mismatch ? 1 : 0;
}

}  // namespace weft::cli
