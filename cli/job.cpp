#include "cli/job.h"

#include <fmt/format.h>

#include <chrono>

#include "base/error.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "cli/json.h"
#include "cli/lockstep_difference.h"
#include "cli/page/page.h"
#include "cli/page/run_page.h"
#include "cli/progress.h"
#include "cli/run_trace.h"
#include "cli/run_values.h"
#include "cli/shown_run.h"
#include "cli/waveform.h"
#include "compiler/lowering/matmul.h"
#include "rtl/cosim/rtl_models.h"
#include "sim/machine/lockstep_error.h"
#include "sim/memory/physical_memory.h"
#include "sim/memory/tensor_memory.h"

namespace weft::cli {
namespace {

double bytes_of(const TensorDecl& tensor) {
  return static_cast<double>(tensor.rows) * static_cast<double>(tensor.cols) *
         element_bytes(tensor.type);
}

bool draws(const Job& job, TensorRole role, const std::optional<std::string>& file) {
  return !file && find_tensor(job.program, role) != nullptr;
}

/// Rejects a seed that has no effect: the user made a mistake.
void check_seed(const Job& job) {
  const RunOptions& options = job.options;
  if (!options.seed || draws(job, TensorRole::kActivation, options.a) ||
      draws(job, TensorRole::kWeights, options.b) ||
      (job.random_bias && draws(job, TensorRole::kBias, options.bias))) {
    return;
  }
  throw InputError("--seed: files give all values, nothing is random; drop --seed or a file");
}

void check_before(const Job& job) {
  check_seed(job);
  if (job.options.out) check_writable(*job.options.out);
  if (job.options.json && !job.options.json_to_stdout()) check_writable(*job.options.json);
  if (job.options.vcd) check_writable(*job.options.vcd);
  if (job.options.html) check_writable(*job.options.html);
  if (job.options.trace) check_writable(*job.options.trace);
  if (job.options.engine == Engine::kRtl) prepare_rtl_array(job.machine);
  if (!job.options.with_values()) return;
  check_memory(matrix_bytes(job.program), "the matrices",
               "choose smaller sizes, or --engine analytic, which needs no matrices");
}

/// The host completes a product with a uint8 B after the run, so the machine cannot apply an
/// activation.
void check_host_term(const Job& job) {
  if (!job.inputs.b_is_uint8()) return;
  if (job.program.computes && job.program.computes->activation == Activation::kNone) return;
  throw InputError(fmt::format(
      "{}: the host corrects a uint8 B after the run, which needs a product without activation; "
      "drop --activation, or give |i1",
      job.inputs.b->file));
}

Result run_simulation(const Job& job, TensorMemory* memory, const SimulateOptions& options) {
  if (job.streamed) return simulate(job.machine, *matmul_stream(*job.plan, job.machine));
  return simulate(job.machine, job.program, memory, options);
}

Result timed_simulation(const Job& job, TensorMemory* memory, std::ostream* vcd,
                        const Streams& streams, double& seconds) {
  Progress progress(streams);
  SimulateOptions options;
  options.engine = job.options.engine;
  options.threads = job.options.threads;
  options.lockstep = job.options.lockstep;
  options.vcd = vcd;
  options.vcd_cycles = job.options.vcd_cycles;
  options.progress = [&](double share) { progress.update(share); };
  const auto start = std::chrono::steady_clock::now();
  try {
    Result result = run_simulation(job, memory, options);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  } catch (const LockstepError& error) {
    report_difference(error);
  }
}

void finish_values(const Job& job, RunValues& values, RunReport& report) {
  if (job.inputs.a_is_uint8()) {
    report.notes.emplace_back("uint8 A entered as x - 128; the bias corrects for it");
  }
  if (job.inputs.b_is_uint8()) {
    add_row_sums(values.operands(), values.result());
    report.notes.emplace_back(
        "uint8 B entered as x - 128; the host added 128 * the row sums of A after the run");
  }
  if (job.options.check == CheckMode::kNone || !job.program.computes) return;
  report.check =
      runtime::check_with_cpu(values.operands().problem(job.program.computes->activation),
                              values.result(), job.machine, job.options.threads);
}

std::string json_text(const RunReport& report) {
  return json_file_text(report_json(report));
}

/// Writes all files before it names any of them.
void write_files(const Job& job, const RunReport& report, const RunToDraw& drawn,
                 const Matrix& result, const std::optional<ArrayRecording>& recording,
                 std::optional<OutputStream>& vcd) {
  std::optional<OutputFile> out;
  std::optional<OutputFile> json;
  std::optional<OutputFile> html;
  std::optional<OutputStream> trace;
  if (job.options.out) {
    out.emplace(*job.options.out);
    out->write(runtime::encode_npy(result));
  }
  if (job.options.json && !job.options.json_to_stdout()) {
    json.emplace(*job.options.json);
    json->write(json_text(report));
  }
  if (job.options.html) {
    html.emplace(*job.options.html);
    html->write(page_html(run_page_data(job, report, drawn, recording)));
  }
  if (job.options.trace) {
    trace.emplace(*job.options.trace);
    write_program_trace(*trace, job.command, job.machine, drawn.program, job.plan, drawn.timeline);
  }
  if (out) out->commit();
  if (json) json->commit();
  if (html) html->commit();
  if (trace) trace->commit();
  if (vcd) vcd->commit();
}

void print(const Job& job, const RunReport& report, const Streams& streams) {
  if (job.options.json_to_stdout()) {
    streams.out << json_text(report);
  } else if (!job.options.quiet) {
    streams.out << report_text(report, streams.style);
  }
  if (!report.check.mismatch) return;
  const runtime::Mismatch& at = *report.check.mismatch;
  streams.err << fmt::format(
      "weft: result [{}][{}] differs from the {} reference: expected {}, got {}\n", at.row, at.col,
      report.check.reference, at.expected, at.actual);
}

}  // namespace

void check_memory(double bytes, std::string_view what, std::string_view advice) {
  const auto physical = static_cast<double>(physical_memory_bytes());
  if (bytes <= physical) return;
  throw InputError(fmt::format("{} would take {}, but this computer has {}; {}", what,
                               si(bytes, "B"), si(physical, "B"), advice));
}

double matrix_bytes(const Program& program) {
  double bytes = 0;
  for (const TensorDecl& tensor : program.tensors) bytes += bytes_of(tensor);
  return bytes;
}

double program_bytes(const TilingPlan& plan) {
  // One fetch per fold; a load and a matmul per slice; a vector, a store and a bias load per
  // region.
  const double instructions = static_cast<double>(plan.folds) +
                              2 * static_cast<double>(plan.matmuls()) +
                              3 * static_cast<double>(plan.region_uses());
  return instructions * static_cast<double>(sizeof(Instruction) + sizeof(InstructionTiming));
}

int run_job(const Job& job, const Streams& streams) {
  check_before(job);
  check_host_term(job);
  RunReport report;
  report.command = job.command;
  report.engine = job.options.engine;
  report.machine = job.machine;
  report.workload = job.program.computes;
  report.plan = job.plan;
  report.notes = job.notes;
  std::optional<RunValues> values;
  if (job.options.with_values()) {
    values.emplace(job.program, job.options, job.inputs, job.random_bias);
  }
  std::optional<OutputStream> vcd;
  open_waveform(job.options, job.machine, job.program, vcd);
  report.result = timed_simulation(job, values ? &values->memory() : nullptr, vcd ? &*vcd : nullptr,
                                   streams, report.wall_seconds);
  std::optional<ArrayRecording> recording;
  if (values && job.options.html) {
    recording = recording_for_page(job, report.result, values->memory());
  }
  if (values) finish_values(job, *values, report);
  std::optional<ShownRun> shown;
  if (job.streamed && (job.options.html || job.options.trace)) {
    shown = shown_run(*job.plan, job.machine, report.result.instructions);
    if (!shown->note.empty()) report.notes.push_back(shown->note);
  }
  const RunToDraw drawn = shown ? RunToDraw(*shown) : RunToDraw(job.program, report.result);
  write_files(job, report, drawn, values ? values->result() : Matrix(), recording, vcd);
  print(job, report, streams);
  return report.check.mismatch ? 1 : 0;
}

}  // namespace weft::cli
