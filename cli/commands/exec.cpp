#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/job.h"
#include "cli/options/cost_options.h"
#include "cli/workload.h"
#include "compiler/emit/matmul.h"
#include "report/progress.h"
#include "runtime/workload/compiled_product.h"
#include "runtime/workload/memory_check.h"
#include "sim/analysis/hazards/race_proof.h"
#include "sim/config/config_keys.h"
#include "sim/isa/program_source.h"
#include "sim/isa/text/text.h"

namespace weft::cli {
namespace {

po::options_description exec_options() {
  po::options_description own("Proof");
  own.add_options()("prove", "also prove that the program cannot race, however slow any unit is");
  po::options_description all;
  all.add(run_flags())
      .add(own)
      .add(cost_flags())
      .add(general_flags({json_flag(), csv_flag(), html_flag(), quiet_flag(), help_option()}));
  return all.add(machine_flags("the first preset with the program's array"));
}

void print_exec_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft exec PROGRAM.weft [OPTIONS]\n\n"
      << "Runs a program. Without --machine: the first preset with the array that the\n"
      << "program was made for. The result is checked if the program says what it\n"
      << "computes. --engine analytic takes no files, because a program has its own sizes.\n"
      << "A program of a network computes with random inputs.\n\n"
      << help_text(exec_options());
}

bool fits(const Program& program, const MachineConfig& config) {
  return program.array_rows == config.array_rows && program.array_cols == config.array_cols &&
         program.dtype == config.dtype;
}

MachineConfig machine_for(const Program& program, const Arguments& arguments,
                          const std::string& file) {
  if (arguments.has("machine")) return read_machine(arguments);
  for (const std::string& name : preset_names()) {
    MachineConfig config = load_preset(name);
    apply_options(config, arguments.values);
    if (fits(program, config)) return config;
  }
  throw InputError(fmt::format(
      "{}: is for a {} x {} {} array, which no preset has; name its machine with --machine", file,
      program.array_rows, program.array_cols, to_string(program.dtype)));
}

/// The plan, if the compiler would make the same program of the product on this machine.
std::optional<TilingPlan> plan_of(const Program& program, const MachineConfig& config) {
  // Planning would fail on a buffer that is too small for the compiler; a handwritten program may
  // fit.
  if (!program.computes || !fits_unified_buffer(*program.computes, config)) return std::nullopt;
  const TilingPlan plan = runtime::scheduled_plan(*program.computes, config);
  const bool sizes_agree = plan.matmuls() <= program.code.size();
  if (sizes_agree && lower_matmul(plan, config) == program) return plan;
  return std::nullopt;
}

/// A note for the report. Throws HazardError if some timing races.
std::string proof(const Program& program, const MachineConfig& config,
                  const report::Streams& streams) {
  report::Progress progress(streams);
  const auto race =
      find_possible_race(config, program, [&](double share) { progress.update(share, "proving"); });
  if (race) {
    throw HazardError(fmt::format("--prove: if {} is late: {}",
                                  instruction_name(program, race->late), race->hazard));
  }
  return fmt::format("proved: no timing of the units can race ({}, each late in turn)",
                     counted(program.code.size(), "instruction"));
}

void check_program_file(const std::string& file) {
  if (file == "-") throw InputError("exec -: a program cannot come from stdin; give a .weft file");
}

/// A program has its own sizes, so files would only give values.
void check_files_matter(const runtime::RunOptions& options) {
  if (options.with_values() || !options.has_files()) return;
  throw InputError(
      "exec --engine analytic reads no values; drop --a, --b and --bias, or use --engine fast");
}

/// A program of a network does not say which file would belong to which of its tensors.
void check_takes_no_files(const Job& job, const std::string& file) {
  if (!job.options.has_files() && !job.files.out) return;
  throw InputError(
      fmt::format("{}: has several tensors of one role, so exec draws all its inputs; drop --a, "
                  "--b, --bias and "
                  "--out, or use `weft run`",
                  file));
}

}  // namespace

int run_exec(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, exec_options());
  if (arguments.has("help")) return print_exec_help(streams), 0;
  if (arguments.positionals.empty()) throw InputError("no program; give a .weft file");
  check_positional_count(arguments, 1);
  const std::string& file = arguments.positionals.front();
  Job job;
  job.command = "exec";
  job.command_line = command_line(job.command, arguments.words);
  std::tie(job.options, job.files) = read_run_flags(arguments);
  check_files_matter(job.options);
  check_program_file(file);
  job.program = assemble_file(file);
  if (runtime::has_several_of_a_role(job.program)) check_takes_no_files(job, file);
  job.machine = machine_for(job.program, arguments, file);
  job.machine_file = read_machine_file(arguments);
  job.cost = read_cost(arguments, job.machine);
  validate(job.program, job.machine);
  job.inputs = runtime::read_headers(job.options, job.machine.dtype);
  job.random_bias = true;
  job.plan = plan_of(job.program, job.machine);
  if (arguments.has("prove")) job.notes.push_back(proof(job.program, job.machine, streams));
  return run_job(std::move(job), streams);
}

}  // namespace weft::cli
