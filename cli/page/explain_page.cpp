#include "cli/page/explain_page.h"

#include <fmt/format.h>

#include <utility>

#include "cli/explain/account_text.h"
#include "cli/job.h"
#include "cli/network_inputs.h"
#include "cli/network_job.h"
#include "cli/page/run_page.h"
#include "cli/run_values.h"
#include "compiler/lowering/matmul.h"

namespace weft::cli {
namespace {

/// No animation if its random operands would take more bytes than this.
constexpr std::uint64_t kDrawnBytes = std::uint64_t{1} << 30U;

std::uint64_t operand_bytes(const Program& program) {
  std::uint64_t bytes = 0;
  for (const TensorDecl& tensor : program.tensors) {
    bytes += tensor.rows * tensor.cols * element_bytes(tensor.type);
  }
  return bytes;
}

std::optional<ArrayRecording> drawn_recording(const Job& job, const Result& result) {
  if (operand_bytes(job.program) > kDrawnBytes) return std::nullopt;
  RunValues values(job.program, job.options, job.inputs, job.random_bias);
  return recording_for_page(job, result, values.memory());
}

/// The parts of the page that a plain run does not have.
Json conv_parts(const ConvExplanation& explanation) {
  Json parts = {{"advice", explanation.advice}};
  if (explanation.sweep) parts["sweep"] = sweep_json(*explanation.sweep);
  if (explanation.array) {
    const ArrayConv& conv = *explanation.array;
    parts["account"] = account_text(conv.account, conv.shape, explanation.report.machine);
  }
  return parts;
}

}  // namespace

Json product_page_data(const ProductExplanation& explanation, const std::string& command_line) {
  const RunReport& report = explanation.report;
  Job job;
  job.command = "explain";
  job.command_line = command_line;
  job.machine = report.machine;
  job.plan = report.plan;
  ShownRun shown = shown_run(*job.plan, job.machine, report.result.instructions);
  const RunToDraw drawn(shown);
  job.random_bias = report.workload->bias;
  std::optional<ArrayRecording> recording;
  if (shown.note.empty()) {
    job.program = shown.program;
    recording = drawn_recording(job, shown.result);
  }
  Json data = run_page_data(job, report, drawn, recording);
  if (recording) {
    data["notes"].push_back(
        "The values in the array are drawn at random; no cycle depends on them.");
  }
  data["account"] = account_text(explanation.account, explanation.shape, report.machine);
  data["advice"] = explanation.advice;
  if (explanation.sweep) data["sweep"] = sweep_json(*explanation.sweep);
  return data;
}

void write_conv_page(const std::string& file, const ConvExplanation& explanation,
                     const std::string& command_line, const Streams& streams) {
  const ConvSpec& spec = explanation.spec;
  const MachineConfig& machine = explanation.report.machine;
  NetworkJob job;
  job.command = "explain conv";
  job.options.html = file;
  job.options.check = CheckMode::kNone;
  job.options.quiet = true;
  job.command_line = command_line;
  job.network = to_text(spec);
  job.batch = spec.input.front();
  job.machine = machine;
  job.conv = spec;
  job.page_parts = conv_parts(explanation);
  job.graph = conv_graph(spec, machine.dtype, kDefaultSeed);
  check_inputs_fit(job.network, job.graph);
  job.inputs = network_inputs(job.graph, {}, job.options.seed, false);
  run_network_job(std::move(job), streams);
}

}  // namespace weft::cli
