#include "cli/reference_job.h"

#include <chrono>
#include <vector>

#include "compiler/onnx/located.h"
#include "models/reference/cpu/run_graph.h"
#include "report/json.h"
#include "report/network_report.h"
#include "report/report.h"
#include "runtime/workload/network_inputs.h"

namespace weft::cli {
namespace {

runtime::NamedTensors timed_run(const NetworkJob& job, double& seconds) {
  return onnx_io::located(job.network, [&] {
    reference::GraphRunner runner(job.graph);
    const auto start = std::chrono::steady_clock::now();
    runtime::NamedTensors outputs = runner.run(job.inputs);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return outputs;
  });
}

std::string reference_text(const report::NetworkReport& report, const report::Style& style) {
  std::string text = report::labelled_line(
      "network", report::network_line(report.network, report.batch, report.parameters, report.macs),
      style);
  for (const std::string& note : report.notes) text += report::labelled_line("note", note, style);
  for (const report::OutputSummary& output : report.outputs) {
    text += report::labelled_line("output", report::output_line(output), style);
  }
  return text + report::labelled_line("reference", si(report.wall_seconds, "s"), style);
}

}  // namespace

int run_reference_job(const NetworkJob& job, const report::Streams& streams) {
  report::NetworkReport report = start_report(job);
  report.notes = runtime::notes_on_inputs(job.inputs);
  const runtime::NamedTensors outputs = timed_run(job, report.wall_seconds);
  report.outputs = report::summarize_outputs(outputs);
  const std::string json = report::json_file_text(report::reference_report_json(report));
  write_network_files(job, outputs, json);
  if (job.files.json_to_stdout()) {
    streams.out << json;
  } else if (!job.files.quiet) {
    streams.out << reference_text(report, streams.style);
  }
  return 0;
}

}  // namespace weft::cli
