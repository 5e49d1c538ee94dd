#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/commands/explain_layer.h"
#include "cli/commands/explain_sweep.h"
#include "cli/options/common_options.h"
#include "cli/options/conv_options.h"
#include "cli/options/cost_options.h"
#include "cli/options/problem_options.h"
#include "cli/report_targets.h"
#include "cli/workload.h"
#include "report/csv/layer_csv.h"
#include "report/explain/conv_explanation.h"
#include "report/explain/product_explanation.h"
#include "report/explain/recorded_run.h"
#include "report/explain/sweep_report.h"
#include "report/explain/why.h"
#include "report/page/explain_page.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "runtime/analysis/sweep_workloads.h"

namespace weft::cli {
namespace {

/// The explanation's own options with the sweep.
po::options_description own_flags() {
  po::options_description own = steps_flag();
  for (const po::options_description sweep = sweep_flag(); const auto& option : sweep.options()) {
    own.add(option);
  }
  return own;
}

/// --json, --csv, --html and --help of a product or a convolution.
po::options_description explanation_files() {
  return general_flags({json_flag(),
                        csv_flag("a line for each layer, or for each point of --sweep,"),
                        html_flag(), help_option()});
}

po::options_description product_options() {
  po::options_description all;
  po::options_description workload = workload_flags();
  const po::options_description problem = problem_flag();
  for (const auto& option : problem.options()) workload.add(option);
  all.add(workload).add(own_flags()).add(cost_flags());
  all.add(explanation_files());
  return all.add(machine_flags());
}

po::options_description explain_conv_options() {
  po::options_description all;
  all.add(conv_flags()).add(own_flags()).add(cost_flags());
  all.add(explanation_files());
  return all.add(machine_flags());
}

po::options_description why_options() {
  po::options_description own;
  own.add_options()("why",
                    "explain the difference in cycles between two runs, assumption by assumption");
  return general_flags({own, json_flag(), csv_flag("a line for A and for each switch"),
                        html_flag("a bar for each switch"), help_option()});
}

void print_why_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft explain --why A.json B.json [OPTIONS]\n\n"
      << "A.json and B.json are the --json reports of two runs: of a product, a convolution\n"
      << "or a network. The keys of the machine, the options and the sizes in which they\n"
      << "differ are switched from A's to B's one at a time, and each step is simulated.\n"
      << "The changes sum to the difference. Runs of different batches are also compared\n"
      << "per image.\n\n"
      << help_text(why_options());
}

void print_product_help(const report::Streams& streams) {
  streams.out << "Usage: weft explain M K N [OPTIONS]\n"
              << "       weft explain conv --input N,C,H,W --filters F --kernel Y,X [OPTIONS]\n"
              << "       weft explain --problem FILE.yaml [OPTIONS]\n"
              << "       weft explain MODEL.onnx|NAME --layer LAYER [OPTIONS]\n"
              << "       weft explain MODEL.onnx|NAME --sweep KEY=VALUES [OPTIONS]\n"
              << "       weft explain --why A.json B.json [OPTIONS]\n\n"
              << "Shows how activations [M,K] times weights [K,N] are cut into tiles, what the\n"
              << "padding costs, the formula for the cycles beside the simulated count, and what\n"
              << "happens fold by fold. --help after conv, --layer LAYER, NAME --sweep KEY or\n"
              << "--why explains the other forms.\n\n"
              << help_text(product_options());
}

void print_explain_conv_help(const report::Streams& streams) {
  streams.out << "Usage: weft explain conv --input N,C,H,W --filters F --kernel Y,X [OPTIONS]\n\n"
              << "Shows how the taps and channels of a convolution lie on the array, what the\n"
              << "padding costs, what happens fold by fold, and why the compiler chose no other\n"
              << "way.\n\n"
              << help_text(explain_conv_options());
}

std::uint64_t read_steps(const Arguments& arguments) {
  const auto text = arguments.text("steps");
  if (!text) return runtime::kDefaultSteps;
  if (*text == "all") return runtime::kMostSteps;
  try {
    return parse_number(*text, "--steps", 1, runtime::kMostSteps);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, or all", error.what()));
  }
}

/// One word that is no number is probably a network.
void check_is_product(const Arguments& arguments) {
  if (!names_network(arguments)) return;
  throw InputError(fmt::format(
      "{}: to explain a layer of a network, add --layer LAYER; `{}` lists the layers",
      printable(arguments.positionals.front()),
      command_line("run", words_without(arguments.words,
                                        {"--steps", "--sweep", "--json", "--html", "--csv"}))));
}

/// The points of the sweep, else the layers.
template <class Explanation>
std::string csv_of(const Explanation& explanation) {
  return explanation.sweep ? report::sweep_csv(*explanation.sweep)
                           : report::layers_csv(explanation.report);
}

int run_explain_product(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, product_options());
  if (arguments.has("help")) return print_product_help(streams), 0;
  const ReportTargets targets = report_targets(arguments);
  const std::uint64_t steps = read_steps(arguments);
  const auto wish = read_sweep(arguments);
  const MachineConfig config = read_machine(arguments);
  machine_out(arguments);  // throws before the work
  check_is_product(arguments);
  const MatmulSpec spec = read_spec(arguments, {});
  const report::CostRequest cost = read_cost(arguments, config);
  report::ProductExplanation explanation = report::explain_product(spec, config, steps);
  explanation.report.machine_file = read_machine_file(arguments);
  report::add_cost(explanation.report, cost);
  if (wish) {
    report::Progress progress(streams);
    explanation.sweep = run_sweep_of(spec, config, *wish, runtime::swept_product,
                                     [&](double share) { progress.update(share); });
  }
  const auto page = [&] {
    const std::string command = command_line("explain", arguments.words);
    return report::page_html(report::product_page_data(explanation, command));
  };
  write_machine_out(arguments, config);
  return write_reports(
      targets, report::product_json(explanation), [&] { return csv_of(explanation); }, page,
      streams, [&] { report::print_product(explanation, streams); });
}

int run_explain_conv(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, explain_conv_options());
  if (arguments.has("help")) return print_explain_conv_help(streams), 0;
  check_positional_count(arguments, 0);
  const ReportTargets targets = report_targets(arguments);
  const runtime::ConvSpec spec = read_conv(arguments);
  const std::uint64_t steps = read_steps(arguments);
  const auto wish = read_sweep(arguments);
  const MachineConfig machine = read_machine(arguments);
  machine_out(arguments);  // throws before the work
  const report::CostRequest cost = read_cost(arguments, machine);
  report::ConvExplanation explanation = report::explain_conv(spec, machine, steps);
  explanation.report.machine_file = read_machine_file(arguments);
  report::add_cost(explanation.report, cost);
  const auto with_progress = [&](auto work) {
    report::Progress progress(streams);
    work([&](double share) { progress.update(share); });
  };
  with_progress([&](const std::function<void(double)>& update) {
    if (wish) {
      explanation.sweep = run_sweep_of(spec, machine, *wish, runtime::swept_conv, update);
    } else {
      report::add_candidates(explanation, update);
    }
  });
  const auto page = [&] {
    const std::string command = command_line("explain conv", arguments.words);
    std::string text;
    with_progress([&](const std::function<void(double)>& update) {
      text = report::page_html(report::conv_page_data(explanation, command, update));
    });
    return text;
  };
  write_machine_out(arguments, machine);
  return write_reports(
      targets, report::conv_explanation_json(explanation), [&] { return csv_of(explanation); },
      page, streams, [&] { report::print_conv(explanation, streams); });
}

int run_explain_why(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, with_unused(why_options()));
  if (arguments.has("help")) return print_why_help(streams), 0;
  refuse_unused(arguments, "--why");
  check_two_reports(arguments, "--why: give two --json reports, A.json B.json");
  const ReportTargets targets = report_targets(arguments);
  const report::RecordedRun a = report::read_recorded_run(arguments.positionals[0]);
  const report::RecordedRun b = report::read_recorded_run(arguments.positionals[1]);
  const report::Why why = [&] {
    report::Progress progress(streams);
    return report::explain_why(a, b, [&](double share) { progress.update(share); });
  }();
  const auto page = [&] {
    return report::page_html(report::why_page_data(why, command_line("explain", arguments.words)));
  };
  return write_reports(
      targets, report::why_json(why), [&] { return report::why_csv(why); }, page, streams,
      [&] { report::print_why(why, streams); });
}

}  // namespace

int run_explain(const Words& words, const report::Streams& streams) {
  if (!words.empty() && words.front() == "conv") {
    const Words others(words.begin() + 1, words.end());
    const bool product = names_problem<imports::ProductProblem>(others);
    return product ? run_explain_product(others, streams) : run_explain_conv(others, streams);
  }
  if (!words.empty() && words.front() == "matmul") {  // as the command is called
    return run_explain_product({words.begin() + 1, words.end()}, streams);
  }
  const Words options(words.begin(), std::ranges::find(words, "--"));
  if (asks_about_layer(options)) return run_explain_layer(words, streams);
  if (names_problem<imports::ConvProblem>(words)) return run_explain_conv(words, streams);
  const bool why = std::ranges::find(options, "--why") != options.end();
  if (why) return run_explain_why(words, streams);
  if (asks_about_network_sweep(words)) return run_explain_network_sweep(words, streams);
  return run_explain_product(words, streams);
}

}  // namespace weft::cli
