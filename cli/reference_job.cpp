#include "cli/reference_job.h"

#include "base/stopwatch.h"
#include "cli/run_output.h"
#include "compiler/onnx/located.h"
#include "models/reference/cpu/run_graph.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "runtime/workload/network_inputs.h"

namespace weft::cli {
namespace {

runtime::NamedTensors timed_run(const NetworkCommand& job, double& seconds) {
  return onnx_io::located(job.network, [&] {
    reference::GraphRunner runner(job.graph);
    const Stopwatch watch;
    runtime::NamedTensors outputs = runner.run(job.inputs);
    seconds = watch.seconds();
    return outputs;
  });
}

}  // namespace

int run_reference_job(const NetworkCommand& job, const report::Streams& streams) {
  report::RunReport report = start_report(job);
  report.notes = runtime::notes_on_inputs(job.inputs);
  const runtime::NamedTensors outputs = timed_run(job, report.wall_seconds);
  report.network().outputs = report::summarize_outputs(outputs);
  const Summary summary{
      report::reference_report_json(report), {}, report::reference_text(report, streams.style)};
  write_summary_files(job.files, summary, report.machine, output_files(job, outputs));
  print_summary(job.files, summary, streams);
  return 0;
}

}  // namespace weft::cli
