#include "report/page/explain_page.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/onnx/located.h"
#include "report/explain/account_text.h"
#include "report/explain/layer/candidates_report.h"
#include "report/explain/sweep_report.h"
#include "report/page/run_page.h"
#include "runtime/compile.h"
#include "runtime/job/network_job.h"
#include "runtime/job/one_layer.h"
#include "runtime/job/shown_run.h"
#include "runtime/workload/network_inputs.h"
#include "runtime/workload/run_values.h"

namespace weft::report {
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

std::optional<ArrayRecording> drawn_recording(const RunReport& report, const Program& program) {
  if (operand_bytes(program) > kDrawnBytes) return std::nullopt;
  runtime::RunValues values(program, {}, {}, report.product().spec->bias);
  return record_array(report.machine, program, values.memory(),
                      animated_cycles(report.machine, program, report.run.timelines.front()));
}

/// As in the report, with the sentences that the text has below the table.
Json candidates_part(const LayerCandidates& candidates, const MachineConfig& machine) {
  Json part = candidates_json(candidates, machine);
  part["sentences"] = other_sentences(candidates, candidates.candidates.runs.size());
  part["doubled_sentences"] = doubled_sentences(candidates);
  return part;
}

/// The parts of the page that a plain run does not have.
Json conv_parts(const ConvExplanation& explanation) {
  Json parts = {{"advice", explanation.advice}};
  if (explanation.sweep) parts["sweep"] = sweep_json(*explanation.sweep);
  if (explanation.candidates) {
    parts["candidates"] = candidates_part(*explanation.candidates, explanation.report.machine);
  }
  if (explanation.array) {
    const ArrayConv& conv = *explanation.array;
    parts["account"] = account_text(conv.account, conv.shape, explanation.report.machine);
  }
  return parts;
}

}  // namespace

Json product_page_data(const ProductExplanation& explanation, const std::string& command_line) {
  RunReport report = explanation.report;
  const TilingPlan& plan = *report.product().plan;
  runtime::ShownRun shown = runtime::shown_run(plan, report.machine, report.run.instructions);
  const bool whole = shown.note.empty();
  show(report, shown);
  if (whole) report.run.recording = drawn_recording(report, shown.program);
  Json data = run_page_data(
      report, runtime::one_layer(std::move(shown.program), plan), command_line,
      {nullptr, whole ? "the matrices are too large to draw" : "the run is too long to draw"});
  if (report.run.recording) {
    data["notes"].push_back(
        "The values in the array are drawn at random; no cycle depends on them.");
  }
  data["account"] = account_text(explanation.account, explanation.shape, report.machine);
  data["advice"] = explanation.advice;
  if (explanation.sweep) data["sweep"] = sweep_json(*explanation.sweep);
  return data;
}

Json conv_page_data(const ConvExplanation& explanation, const std::string& command_line,
                    const std::function<void(double)>& progress) {
  const runtime::ConvSpec& spec = explanation.spec;
  const MachineConfig& machine = explanation.report.machine;
  const std::string name = runtime::to_text(spec);
  graph::Graph graph = runtime::conv_graph(spec, machine.dtype, runtime::kDefaultSeed);
  RunReport report = describe_network("explain conv", name, spec.input.front(), graph);
  report.machine = machine;
  report.network().conv = spec;
  report.network().with_values = true;
  runtime::check_inputs_fit(name, graph);
  const runtime::NamedTensors inputs = runtime::network_inputs(graph, {}, std::nullopt, false);
  return onnx_io::located(name, [&] {
    runtime::CompiledNetwork compiled = runtime::compile(
        runtime::schedule(std::move(graph), machine, &inputs, runtime::mapping_of(spec)), machine);
    report.notes = std::move(compiled.notes);
    const compiler::NetworkProgram& program = compiled.program;
    runtime::RunOptions options;
    options.check = runtime::CheckMode::kNone;
    runtime::RunObservers observers;
    observers.progress = progress;
    observers.keep_timelines = true;
    observers.record = [&](const Program& each, const Result& result) {
      return animated_cycles(machine, each, result.timeline);
    };
    report.run =
        runtime::run_network({program, machine, inputs, options}, observers, report.wall_seconds);
    report.network().outputs = summarize_outputs(report.run.outputs);
    return run_page_data(report, program, command_line, {conv_parts(explanation), {}});
  });
}

Json layer_page_data(const LayerExplanation& explanation, const std::string& command_line,
                     const std::function<void(double)>& progress) {
  RunReport report = explanation.report;
  const std::string& name = explanation.asked().info.name;
  Json parts = {{"title", fmt::format("explain {}, layer {}, on {}", report.network().name, name,
                                      machine_title(report.machine, report.machine_file))},
                {"asked", explanation.layer}};
  if (explanation.candidates) {
    parts["candidates"] = candidates_part(*explanation.candidates, report.machine);
  }
  const compiler::NetworkProgram program =
      runtime::compile({explanation.network, {}}, report.machine).program;
  runtime::RunOptions options;
  options.engine = Engine::kAnalytic;
  options.check = runtime::CheckMode::kNone;
  runtime::RunObservers observers;
  observers.progress = progress;
  observers.keep_timelines = true;
  report.run =
      runtime::run_network({program, report.machine, {}, options}, observers, report.wall_seconds);
  return run_page_data(report, program, command_line, {std::move(parts), {}});
}

}  // namespace weft::report
