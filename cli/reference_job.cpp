#include "cli/reference_job.h"

#include <chrono>
#include <vector>

#include "cli/json.h"
#include "cli/network_inputs.h"
#include "cli/network_report.h"
#include "cli/report.h"
#include "compiler/onnx/located.h"
#include "models/reference/cpu/run_graph.h"

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

std::string report_text(const NetworkReport& report, const Style& style) {
  std::string text = labelled_line(
      "network", network_line(report.network, report.batch, report.parameters, report.macs), style);
  for (const std::string& note : report.notes) text += labelled_line("note", note, style);
  for (const OutputSummary& output : report.outputs) {
    text += labelled_line("output", output_line(output), style);
  }
  return text + labelled_line("reference", si(report.wall_seconds, "s"), style);
}

}  // namespace

int run_reference_job(const NetworkJob& job, const Streams& streams) {
  NetworkReport report = start_report(job);
  report.notes = notes_on_inputs(job.inputs);
  const runtime::NamedTensors outputs = timed_run(job, report.wall_seconds);
  report.outputs = summarize_outputs(outputs);
  const std::string json = json_file_text(reference_report_json(report));
  write_network_files(job, outputs, json);
  if (job.options.json_to_stdout()) {
    streams.out << json;
  } else if (!job.options.quiet) {
    streams.out << report_text(report, streams.style);
  }
  return 0;
}

}  // namespace weft::cli
