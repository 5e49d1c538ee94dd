#include "cli/job.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/run_output.h"
#include "compiler/schedule/network_bound.h"
#include "compiler/schedule/product/product_graph.h"
#include "runtime/job/one_layer.h"
#include "runtime/job/shown_run.h"
#include "runtime/npy/npy.h"

namespace weft::cli {
namespace {

runtime::ProductRun observed_run(const Job& job, runtime::RunValues* values, RunOutput& output,
                                 const report::Streams& streams) {
  if (job.files.vcd) output.open_waveform(job.machine, job.program);
  report::Progress progress(streams);
  return runtime::run_product(job, values, output.observers(job.machine, progress));
}

report::RunReport report_of(const Job& job, runtime::ProductRun run) {
  report::RunReport report =
      report::describe_product(job.command, job.program, job.plan, std::move(run.result));
  report.engine = job.options.engine;
  report.machine = job.machine;
  report.machine_file = job.machine_file;
  report.product().check = std::move(run.check);
  if (report.product().spec) {
    report.run.bound = compiler::lower_bound(*report.product().spec, job.machine);
  }
  report.run.recording = std::move(run.recording);
  report.wall_seconds = run.wall_seconds;
  report.notes = job.notes;
  std::ranges::move(run.notes, std::back_inserter(report.notes));
  report::add_cost(report, job.cost);
  return report;
}

/// Runs a streamed product again, as far as files can show it.
void show_beginning(Job& job, report::RunReport& report) {
  runtime::ShownRun shown = runtime::shown_run(*job.plan, job.machine, report.run.instructions);
  report::show(report, shown);
  job.program = std::move(shown.program);
}

runtime::Sensitivity sensitivity_of(const Job& job, const MatmulSpec& spec,
                                    const report::Streams& streams) {
  report::Progress progress(streams);
  return runtime::find_sensitivity(compiler::product_graph(spec, job.machine.dtype), job.machine,
                                   {},
                                   [&](double share) { progress.update(share, "sensitivity"); });
}

}  // namespace

int run_job(Job job, const report::Streams& streams) {
  check_files_writable(job.files);
  runtime::check_before_run(job);
  std::optional<runtime::RunValues> values;
  if (job.options.with_values()) {
    values.emplace(job.program, job.options, job.inputs, job.random_bias);
  }
  RunOutput output(job.files, streams);
  report::RunReport report =
      report_of(job, observed_run(job, values ? &*values : nullptr, output, streams));
  if (job.sensitivity) {
    report.sensitivity = sensitivity_of(job, *report.product().spec, streams);
  }
  if (output.needs_program()) {
    if (job.streamed) show_beginning(job, report);
    output.write(report, runtime::one_layer(std::move(job.program), job.plan), job.command_line);
  }
  std::vector<runtime::FileContent> contents;
  if (job.files.out) contents.push_back({*job.files.out, runtime::encode_npy(values->result())});
  return output.finish(report, std::move(contents));
}

}  // namespace weft::cli
