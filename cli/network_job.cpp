#include "cli/network_job.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/stopwatch.h"
#include "cli/run_output.h"
#include "compiler/onnx/located.h"
#include "report/plan/plan_file.h"
#include "rtl/cosim/rtl_models.h"
#include "runtime/compile.h"
#include "runtime/job/network_job.h"
#include "runtime/network_timing.h"
#include "runtime/workload/network_inputs.h"
#include "runtime/workload/values_memory.h"

namespace weft::cli {
namespace {

runtime::NetworkRun observed_run(const NetworkCommand& job, const runtime::NetworkJob& work,
                                 RunOutput& output, double& seconds,
                                 const report::Streams& streams) {
  if (job.files.vcd) output.open_waveform(job.machine, runtime::only_program(work.program));
  report::Progress progress(streams);
  return runtime::run_network(work, output.observers(job.machine, progress), seconds);
}

void check(const NetworkCommand& job, const runtime::NetworkJob& work, report::RunReport& report,
           const report::Streams& streams) {
  if (job.options.check == runtime::CheckMode::kNone) return;
  report::Progress progress(streams);
  const runtime::NetworkCheck& check = report.network().check.emplace(
      runtime::check_run(work, report.run, [&](double share) { progress.update(share); }));
  if (auto note = runtime::note_beyond_binary32(check)) report.notes.push_back(*std::move(note));
}

/// What the user fixed.
compiler::MappingOptions mapping(const NetworkCommand& job) {
  return job.conv ? runtime::mapping_of(*job.conv) : compiler::MappingOptions{};
}

runtime::NetworkSchedule schedule(NetworkCommand& job, const runtime::NamedTensors* inputs,
                                  report::RunReport& report, const report::Streams& streams) {
  runtime::NetworkSchedule found = find_schedule(
      {job.network, std::move(job.graph), job.machine, inputs, mapping(job), job.search}, streams);
  describe_search(job.search, found.network, report.network());
  return found;
}

/// Counts the cycles while the instructions are written.
void time(NetworkCommand& job, report::RunReport& report, const report::Streams& streams) {
  runtime::NetworkSchedule scheduled = schedule(job, nullptr, report, streams);
  std::ranges::move(scheduled.notes, std::back_inserter(report.notes));
  report::Progress progress(streams);
  const Stopwatch watch;
  report.run = runtime::time_network(scheduled.network, job.machine,
                                     [&](double share) { progress.update(share); });
  report.wall_seconds = watch.seconds();
}

void note_host_time(const NetworkCommand& job, report::RunReport& report) {
  if (!job.host_time || report::host_layers(report) > 0) return;
  report.notes.emplace_back("no layer runs on the host, so --host-time changes nothing");
}

/// Everything that can throw an error about the network.
void run_and_check(NetworkCommand& job, report::RunReport& report, RunOutput& output,
                   const report::Streams& streams) {
  if (!job.options.with_values() && !output.needs_program()) {
    time(job, report, streams);
    report::add_cost(report, job.cost);
    return note_host_time(job, report);
  }
  if (job.options.with_values()) report.notes = runtime::notes_on_inputs(job.inputs);
  const bool with_values = job.options.with_values();
  runtime::NetworkSchedule scheduled =
      schedule(job, with_values ? &job.inputs : nullptr, report, streams);
  if (with_values) {
    const bool checked = job.options.check != runtime::CheckMode::kNone;
    runtime::check_values_fit(scheduled.network, job.machine, checked);
  }
  runtime::CompiledNetwork compiled = runtime::compile(std::move(scheduled), job.machine);
  std::ranges::move(compiled.notes, std::back_inserter(report.notes));
  const compiler::NetworkProgram program = std::move(compiled.program);
  const runtime::NetworkJob work{program, job.machine, job.inputs, job.options};
  report.run = observed_run(job, work, output, report.wall_seconds, streams);
  report::add_cost(report, job.cost);
  note_host_time(job, report);
  report.network().outputs = report::summarize_outputs(report.run.outputs);
  check(job, work, report, streams);
  output.write(report, program, job.command_line);
}

}  // namespace

void describe_search(const SearchFlags& search, const compiler::ScheduledNetwork& network,
                     report::NetworkPart& part) {
  part.plan_hash = report::plan_hash(compiler::network_plan(network));
  if (!search.follows) part.effort = search.effort;
}

report::RunReport start_report(const NetworkCommand& job) {
  report::RunReport report = onnx_io::located(job.network, [&] {
    return report::describe_network(job.command, job.network, job.batch, job.graph);
  });
  report.engine = job.options.engine;
  report.machine = job.machine;
  report.machine_file = job.machine_file;
  report::NetworkPart& part = report.network();
  part.conv = job.conv;
  part.sequence = job.sequence;
  part.kv_cache = job.kv_cache;
  part.tokens = job.tokens;
  part.host_time = job.host_time;
  part.with_values = job.options.with_values();
  return report;
}

std::vector<runtime::FileContent> output_files(const NetworkCommand& job,
                                               const runtime::NamedTensors& outputs) {
  if (!job.outputs) return {};
  return job.outputs->encode(outputs);
}

void check_before_network(const NetworkCommand& job) {
  check_files_writable(job.files);
  if (job.options.engine == Engine::kRtl) prepare_rtl_array(job.machine);
}

int run_network_job(NetworkCommand job, const report::Streams& streams) {
  report::RunReport report = start_report(job);
  RunOutput output(job.files, streams);
  onnx_io::located(job.network, [&] {
    if (job.sensitivity) {  // before the run takes the graph
      report::Progress progress(streams);
      compiler::MappingOptions searched = mapping(job);
      searched.effort = job.search.effort;
      report.sensitivity =
          runtime::find_sensitivity(job.graph, job.machine, searched,
                                    [&](double share) { progress.update(share, "sensitivity"); });
    }
    run_and_check(job, report, output, streams);
  });
  return output.finish(report, output_files(job, report.run.outputs));
}

}  // namespace weft::cli
