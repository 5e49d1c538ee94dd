#include <tuple>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/network_job.h"
#include "cli/options/conv_options.h"
#include "cli/options/cost_options.h"
#include "cli/options/problem_options.h"
#include "cli/options/search_options.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/network_inputs.h"

namespace weft::cli {
namespace {

po::options_description conv_options() {
  po::options_description all;
  all.add(conv_flags()).add(simulation_flags()).add(search_flags()).add(cost_flags());
  all.add(general_flags(
      {sensitivity_flag(), json_flag(), csv_flag(), html_flag(), quiet_flag(), help_option()}));
  return all.add(machine_flags());
}

void print_conv_help(const report::Streams& streams) {
  streams.out << "Usage: weft conv --input N,C,H,W --filters F --kernel Y,X [OPTIONS]\n"
              << "       weft conv --problem FILE.yaml [OPTIONS]\n\n"
              << "Simulates one convolution over random values: Conv on a floating-point array,\n"
              << "QLinearConv on an int8 array.\n\n"
              << help_text(conv_options());
}

}  // namespace

int run_conv(const Words& words, const report::Streams& streams) {
  if (names_problem<imports::ProductProblem>(words)) return run_matmul(words, streams);
  const Arguments arguments = parse_arguments(words, conv_options());
  if (arguments.has("help")) return print_conv_help(streams), 0;
  check_positional_count(arguments, 0);
  const runtime::ConvSpec spec = read_conv(arguments);
  NetworkCommand job;
  job.command = "conv";
  job.command_line = command_line(job.command, arguments.words);
  job.network = runtime::to_text(spec);
  job.conv = spec;
  job.batch = spec.input.front();
  std::tie(job.options, job.files) = read_run_flags(arguments);
  job.search = read_search(arguments);
  job.sensitivity = arguments.has("sensitivity");
  job.machine = read_machine(arguments);
  job.machine_file = read_machine_file(arguments);
  job.cost = read_cost(arguments, job.machine);
  check_before_network(job);
  job.graph = runtime::conv_graph(spec, job.machine.dtype,
                                  job.options.seed.value_or(runtime::kDefaultSeed));
  if (job.options.with_values()) {
    runtime::check_inputs_fit(job.network, job.graph);
    job.inputs = runtime::network_inputs(job.graph, {}, job.options.seed, false);
  }
  return run_network_job(std::move(job), streams);
}

}  // namespace weft::cli
