#include "cli/network_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/output_file.h"
#include "base/output_stream.h"
#include "compiler/onnx/located.h"
#include "report/json.h"
#include "report/network_report.h"
#include "report/page/network_page.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "report/trace/run_trace.h"
#include "report/trace/waveform.h"
#include "rtl/cosim/rtl_models.h"
#include "runtime/job/network_job.h"
#include "runtime/network_pipeline.h"
#include "runtime/workload/network_inputs.h"

namespace weft::cli {
namespace {

std::string json_text(const report::NetworkReport& report) {
  return report::json_file_text(report::network_report_json(report));
}

void print(const NetworkJob& job, const report::NetworkReport& report,
           const report::Streams& streams) {
  if (job.files.json_to_stdout()) {
    streams.out << json_text(report);
  } else if (!job.files.quiet) {
    streams.out << report::network_report_text(report, streams.style);
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

void describe_run(const NetworkJob& job, report::NetworkReport& report) {
  if (job.host_time && report::host_layers(report) == 0) {
    report.notes.emplace_back("no layer runs on the host, so --host-time changes nothing");
  }
  report.outputs = report::summarize_outputs(report.run.outputs);
}

void check(const NetworkJob& job, const runtime::NetworkJob& work, report::NetworkReport& report,
           const report::Streams& streams) {
  if (job.options.check == runtime::CheckMode::kNone) return;
  report::Progress progress(streams);
  report.check =
      runtime::check_run(work, report.run, [&](double share) { progress.update(share); });
  if (auto note = runtime::note_beyond_binary32(*report.check)) {
    report.notes.push_back(*std::move(note));
  }
}

runtime::NetworkRun observed_run(const NetworkJob& job, const runtime::NetworkJob& work,
                                 std::optional<OutputStream>& vcd, double& seconds,
                                 const report::Streams& streams) {
  if (job.files.vcd) {
    report::open_waveform(*job.files.vcd, job.files.vcd_cycles, job.machine,
                          runtime::only_program(work.program), vcd);
  }
  report::Progress progress(streams);
  runtime::RunObservers observers;
  observers.progress = [&](double share) { progress.update(share); };
  observers.vcd = vcd ? &*vcd : nullptr;
  observers.vcd_cycles = job.files.vcd_cycles;
  observers.keep_timelines = job.files.trace || job.files.html;
  if (job.files.html) {
    observers.record = [&job](const Program& each, const Result& result) {
      return report::animated_cycles(job.machine, each, result);
    };
  }
  return runtime::run_network(work, observers, seconds);
}

/// Everything that can throw an error about the network.
void run_and_check(NetworkJob& job, report::NetworkReport& report, Recordings& recordings,
                   const report::Streams& streams) {
  if (job.options.with_values()) report.notes = runtime::notes_on_inputs(job.inputs);
  runtime::PreparedNetwork prepared = runtime::prepare_network(
      std::move(job.graph), job.machine, job.options.with_values() ? &job.inputs : nullptr);
  std::ranges::move(prepared.notes, std::back_inserter(report.notes));
  const network::NetworkProgram program =
      runtime::compile_prepared(std::move(prepared), job.machine);
  const runtime::NetworkJob work{program, job.machine, job.inputs, job.options};
  report.run = observed_run(job, work, recordings.vcd, report.wall_seconds, streams);
  if (job.files.trace) {
    recordings.trace.emplace(*job.files.trace);
    const std::string title = fmt::format("{} {}", job.command, job.network);
    report::write_network_trace(*recordings.trace, title, job.machine, program, report.run);
  }
  describe_run(job, report);
  check(job, work, report, streams);
  if (job.files.html) {
    recordings.html.emplace(*job.files.html);
    recordings.html->write(
        report::page_html(report::network_page_data(report, program, job.command_line)));
  }
}

}  // namespace

report::NetworkReport start_report(const NetworkJob& job) {
  report::NetworkReport report = onnx_io::located(job.network, [&] {
    return report::describe_network(job.command, job.network, job.batch, job.graph);
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
  std::vector<runtime::FileContent> files;
  if (job.outputs) files = job.outputs->encode(outputs);
  if (job.files.json && !job.files.json_to_stdout()) {
    files.push_back({*job.files.json, json});
  }
  runtime::write_files_together(files);
}

void check_before_network(const NetworkJob& job) {
  check_files_writable(job.files);
  if (job.options.engine == Engine::kRtl) prepare_rtl_array(job.machine);
}

int run_network_job(NetworkJob job, const report::Streams& streams) {
  report::NetworkReport report = start_report(job);
  Recordings recordings;
  onnx_io::located(job.network, [&] { run_and_check(job, report, recordings, streams); });
  write_network_files(job, report.run.outputs, json_text(report));
  recordings.commit();
  print(job, report, streams);
  return report.check && report.check->mismatch ? 1 : 0;
}

}  // namespace weft::cli
