#include "compiler/emit/matmul.h"

#include <tuple>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/job.h"
#include "cli/options/cost_options.h"
#include "cli/options/problem_options.h"
#include "cli/workload.h"
#include "runtime/workload/compiled_product.h"

namespace weft::cli {
namespace {

/// --problem and what else a product has.
po::options_description product_flags() {
  po::options_description options = workload_flags();
  const po::options_description problem = problem_flag();
  for (const auto& option : problem.options()) options.add(option);
  return options;
}

po::options_description matmul_options() {
  po::options_description all;
  all.add(product_flags()).add(run_flags()).add(cost_flags());
  all.add(general_flags(
      {sensitivity_flag(), json_flag(), csv_flag(), html_flag(), quiet_flag(), help_option()}));
  return all.add(machine_flags());
}

void print_matmul_help(const report::Streams& streams) {
  streams.out << "Usage: weft matmul [M K N] [OPTIONS]\n"
              << "       weft matmul --problem FILE.yaml [OPTIONS]\n\n"
              << "Simulates activations [M,K] times weights [K,N]; 1000 1000 1000 if no size and\n"
              << "no file is given. With --engine analytic, files give only sizes and types.\n\n"
              << help_text(matmul_options());
}

}  // namespace

int run_matmul(const Words& words, const report::Streams& streams) {
  if (names_problem<imports::ConvProblem>(words)) return run_conv(words, streams);
  Arguments arguments = parse_arguments(words, matmul_options());
  if (arguments.has("help")) return print_matmul_help(streams), 0;
  Job job;
  job.command = "matmul";
  job.command_line = command_line(job.command, arguments.words);
  std::tie(job.options, job.files) = read_run_flags(arguments);
  const bool sized = job.options.has_files() || arguments.has("problem");
  if (arguments.positionals.empty() && !sized) {
    arguments.positionals.assign(3, std::to_string(kDefaultSize));
  }
  job.sensitivity = arguments.has("sensitivity");
  job.machine = read_machine(arguments);
  job.machine_file = read_machine_file(arguments);
  job.cost = read_cost(arguments, job.machine);
  job.inputs = runtime::read_headers(job.options, job.machine.dtype);
  job.random_bias = arguments.has("with-bias");
  const MatmulSpec spec = read_spec(arguments, job.inputs);
  job.streamed = !job.options.with_values();
  if (job.streamed) {
    job.plan = runtime::scheduled_plan(spec, job.machine);
    job.program = matmul_header(*job.plan, job.machine);
  } else {
    runtime::CompiledProduct compiled = runtime::compile_product(spec, job.machine);
    job.plan = compiled.plan;
    job.program = std::move(compiled.program);
  }
  return run_job(std::move(job), streams);
}

}  // namespace weft::cli
