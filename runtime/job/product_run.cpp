#include "runtime/job/product_run.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>

#include "base/error.h"
#include "base/stopwatch.h"
#include "compiler/emit/matmul.h"
#include "rtl/cosim/rtl_models.h"
#include "runtime/job/lockstep_difference.h"
#include "runtime/workload/memory_check.h"
#include "sim/machine/datapaths/lockstep_error.h"

namespace weft::runtime {
namespace {

bool draws(const ProductJob& job, TensorRole role, const std::optional<std::string>& file) {
  return !file && find_tensor(job.program, role) != nullptr;
}

/// Rejects a seed that has no effect: the user made a mistake.
void check_seed(const ProductJob& job) {
  const RunOptions& options = job.options;
  if (!options.seed || has_several_of_a_role(job.program) ||
      draws(job, TensorRole::kActivation, options.a) ||
      draws(job, TensorRole::kWeights, options.b) ||
      (job.random_bias && draws(job, TensorRole::kBias, options.bias))) {
    return;
  }
  throw InputError("--seed: files give all values, nothing is random; drop --seed or a file");
}

/// The host completes a product with a uint8 B after the run, so the machine cannot apply an
/// activation.
void check_host_term(const ProductJob& job) {
  if (!job.inputs.b_is_uint8()) return;
  if (job.program.computes && job.program.computes->activation == Activation::kNone) return;
  throw InputError(fmt::format(
      "{}: the host corrects a uint8 B after the run, which needs a product without activation; "
      "drop --activation, or give |i1",
      job.inputs.b->file));
}

/// Tells from time to time how many of a streamed run's instructions have been timed or skipped.
class StreamProgress final : public RunObserver {
 public:
  StreamProgress(std::uint64_t instructions, const std::function<void(double)>& report)
      : instructions_(static_cast<double>(instructions)), report_(report) {}

  void accepted(const Instruction&) override {
    ++count_;
    if (++since_report_ < kBetweenReports) return;
    since_report_ = 0;
    report_(static_cast<double>(count_) / instructions_);
  }
  void visit(StateVisitor& visitor) override { visitor.total(count_); }

 private:
  static constexpr std::uint32_t kBetweenReports = 1U << 16U;

  const double instructions_;
  const std::function<void(double)>& report_;
  std::uint64_t count_ = 0;
  std::uint32_t since_report_ = 0;
};

Result stream_product(const ProductJob& job, const RunObservers& observers) {
  const auto stream = matmul_stream(*job.plan, job.machine);
  if (!observers.progress) return simulate(job.machine, *stream);
  StreamProgress progress(most_instructions(*job.plan), observers.progress);
  return simulate(job.machine, *stream, &progress);
}

Result run_simulation(const ProductJob& job, TensorMemory* memory, const RunObservers& observers) {
  if (job.streamed) return stream_product(job, observers);
  return simulate(job.machine, job.program, memory, simulate_options(job.options, observers));
}

Result timed_simulation(const ProductJob& job, TensorMemory* memory, const RunObservers& observers,
                        double& seconds) {
  const Stopwatch watch;
  try {
    Result result = run_simulation(job, memory, observers);
    seconds = watch.seconds();
    return result;
  } catch (const LockstepError& error) {
    report_difference(error);
  }
}

void finish_values(const ProductJob& job, RunValues& values, ProductRun& run) {
  if (job.inputs.a_is_uint8()) {
    run.notes.emplace_back("uint8 A entered as x - 128; the bias corrects for it");
  }
  if (job.inputs.b_is_uint8()) {
    add_row_sums(values.operands(), values.result());
    run.notes.emplace_back(
        "uint8 B entered as x - 128; the host added 128 * the row sums of A after the run");
  }
  if (job.options.check == CheckMode::kNone || !job.program.computes) return;
  run.check = check_with_cpu(values.operands().problem(job.program.computes->activation),
                             values.result(), job.machine, job.options.threads);
}

}  // namespace

void check_before_run(const ProductJob& job) {
  check_seed(job);
  if (job.options.engine == Engine::kRtl) prepare_rtl_array(job.machine);
  if (job.options.with_values()) {
    check_memory(matrix_bytes(job.program), "the matrices",
                 "choose smaller sizes, or --engine analytic, which needs no matrices");
  }
  check_host_term(job);
}

ProductRun run_product(const ProductJob& job, RunValues* values, const RunObservers& observers) {
  ProductRun run;
  run.result = timed_simulation(job, values == nullptr ? nullptr : &values->memory(), observers,
                                run.wall_seconds);
  if (values == nullptr) return run;
  if (observers.record) {
    run.recording = record_array(job.machine, job.program, values->memory(),
                                 observers.record(job.program, run.result));
  }
  finish_values(job, *values, run);
  return run;
}

}  // namespace weft::runtime
