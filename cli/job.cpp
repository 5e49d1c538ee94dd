#include "cli/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "report/json.h"
#include "report/page/page.h"
#include "report/page/run_page.h"
#include "report/progress.h"
#include "report/trace/run_trace.h"
#include "report/trace/waveform.h"

namespace weft::cli {
namespace {

runtime::ProductRun observed_run(const Job& job, runtime::RunValues* values, std::ostream* vcd,
                                 const report::Streams& streams) {
  report::Progress progress(streams);
  runtime::RunObservers observers;
  observers.progress = [&](double share) { progress.update(share); };
  observers.vcd = vcd;
  observers.vcd_cycles = job.files.vcd_cycles;
  if (job.files.html) {
    observers.record = [&job](const Program& program, const Result& result) {
      return report::animated_cycles(job.machine, program, result);
    };
  }
  return runtime::run_product(job, values, observers);
}

std::string json_text(const report::RunReport& report) {
  return report::json_file_text(report::report_json(report));
}

/// Writes all files before it names any of them.
void write_files(const Job& job, const report::RunReport& report, const Matrix& result,
                 const std::optional<ArrayRecording>& recording, std::optional<OutputStream>& vcd) {
  std::optional<OutputFile> out;
  std::optional<OutputFile> json;
  std::optional<OutputFile> html;
  std::optional<OutputStream> trace;
  if (job.files.out) {
    out.emplace(*job.files.out);
    out->write(runtime::encode_npy(result));
  }
  if (job.files.json && !job.files.json_to_stdout()) {
    json.emplace(*job.files.json);
    json->write(json_text(report));
  }
  if (job.files.html) {
    html.emplace(*job.files.html);
    html->write(report::page_html(report::run_page_data(report, job.program, job.command_line,
                                                        job.options.with_values(), recording)));
  }
  if (job.files.trace) {
    trace.emplace(*job.files.trace);
    report::write_program_trace(*trace, job.command, job.machine, job.program, job.plan,
                                report.result.timeline);
  }
  if (out) out->commit();
  if (json) json->commit();
  if (html) html->commit();
  if (trace) trace->commit();
  if (vcd) vcd->commit();
}

void print(const Job& job, const report::RunReport& report, const report::Streams& streams) {
  if (job.files.json_to_stdout()) {
    streams.out << json_text(report);
  } else if (!job.files.quiet) {
    streams.out << report::report_text(report, streams.style);
  }
  if (!report.check.mismatch) return;
  const runtime::Mismatch& at = *report.check.mismatch;
  streams.err << fmt::format(
      "weft: result [{}][{}] differs from the {} reference: expected {}, got {}\n", at.row, at.col,
      report.check.reference, at.expected, at.actual);
}

}  // namespace

int run_job(const Job& job, const report::Streams& streams) {
  check_files_writable(job.files);
  runtime::check_before_run(job);
  report::RunReport report;
  report.command = job.command;
  report.engine = job.options.engine;
  report.machine = job.machine;
  report.workload = job.program.computes;
  report.plan = job.plan;
  report.notes = job.notes;
  std::optional<runtime::RunValues> values;
  if (job.options.with_values()) {
    values.emplace(job.program, job.options, job.inputs, job.random_bias);
  }
  std::optional<OutputStream> vcd;
  if (job.files.vcd) {
    report::open_waveform(*job.files.vcd, job.files.vcd_cycles, job.machine, job.program, vcd);
  }
  runtime::ProductRun run =
      observed_run(job, values ? &*values : nullptr, vcd ? &*vcd : nullptr, streams);
  report.result = std::move(run.result);
  report.check = std::move(run.check);
  report.wall_seconds = run.wall_seconds;
  std::ranges::move(run.notes, std::back_inserter(report.notes));
  write_files(job, report, values ? values->result() : Matrix(), run.recording, vcd);
  print(job, report, streams);
  return report.check.mismatch ? 1 : 0;
}

}  // namespace weft::cli
