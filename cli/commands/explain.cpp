#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/commands/explain_layer.h"
#include "cli/common_options.h"
#include "cli/conv_options.h"
#include "cli/report_targets.h"
#include "cli/workload.h"
#include "report/explain/conv_explanation.h"
#include "report/explain/product_explanation.h"
#include "report/explain/recorded_run.h"
#include "report/explain/why.h"
#include "report/page/explain_page.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "runtime/analysis/sweep_workloads.h"

namespace weft::cli {
namespace {

po::options_description account_flags() {
  po::options_description options("Explanation");
  options.add_options()("steps", po::value<std::string>()->value_name("N"),
                        "number of folds to list, or all; 8 if not given");
  return options;
}

po::options_description product_options() {
  po::options_description own = account_flags();
  own.add_options()("sweep", po::value<std::string>()->value_name("D=LO..HI"),
                    "cycles over a range of m, k or n instead; :STEP may follow");
  po::options_description all;
  all.add(workload_flags()).add(own).add(general_flags({json_flag(), html_flag(), help_option()}));
  return all.add(machine_flags());
}

po::options_description explain_conv_options() {
  po::options_description own = account_flags();
  own.add_options()("sweep", po::value<std::string>()->value_name("D=LO..HI"),
                    "cycles over a range of images (m), channels (k) or filters (n) instead; "
                    ":STEP may follow");
  po::options_description all;
  all.add(conv_flags()).add(own);
  all.add(general_flags({json_flag(), html_flag(), help_option()}));
  return all.add(machine_flags());
}

po::options_description why_options() {
  po::options_description own;
  own.add_options()("why",
                    "explain the difference in cycles between two runs, assumption by assumption");
  return general_flags({own, json_flag(), html_flag(), help_option()});
}

void print_why_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft explain --why A.json B.json [OPTIONS]\n\n"
      << "A.json and B.json are the --json reports of two runs of one workload: a product,\n"
      << "a convolution or a network. The keys of the machine and the options in which\n"
      << "they differ are switched from A's to B's one at a time, and each step is\n"
      << "simulated. The changes sum to the difference.\n\n"
      << help_text(why_options());
}

void print_product_help(const report::Streams& streams) {
  streams.out << "Usage: weft explain M K N [OPTIONS]\n"
              << "       weft explain conv --input N,C,H,W --filters F --kernel Y,X [OPTIONS]\n"
              << "       weft explain MODEL.onnx|NAME --layer LAYER [OPTIONS]\n"
              << "       weft explain --why A.json B.json [OPTIONS]\n\n"
              << "Shows how activations [M,K] times weights [K,N] are cut into tiles, what the\n"
              << "padding costs, the formula for the cycles beside the simulated count, and what\n"
              << "happens fold by fold. --help after conv, --layer LAYER or --why explains the\n"
              << "other forms.\n\n"
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

/// Parses --sweep; nullopt if it is not given.
std::optional<runtime::SweepRequest> sweep_request(const Arguments& arguments) {
  const auto text = arguments.text("sweep");
  if (!text) return std::nullopt;
  const runtime::SweepRequest request = runtime::parse_sweep(*text);
  if (arguments.has("steps")) {
    throw InputError("--steps has no effect with --sweep; remove one of them");
  }
  return request;
}

runtime::Sweep sweep_with_progress(const runtime::SweptWorkload& workload,
                                   const runtime::SweepRequest& request,
                                   const report::Streams& streams) {
  report::Progress progress(streams);
  return runtime::run_sweep(workload, request, [&](double share) { progress.update(share); });
}

/// One word that is no number is probably a network.
void check_is_product(const Arguments& arguments) {
  if (!names_network(arguments)) return;
  const std::string name = printable(arguments.positionals.front());
  throw InputError(fmt::format(
      "{0}: to explain a layer of a network, add --layer LAYER; `weft run {0}` lists the layers",
      name));
}

int run_explain_product(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, product_options());
  if (arguments.has("help")) return print_product_help(streams), 0;
  const auto json = json_target(arguments);
  const auto html = html_target(arguments);
  const std::uint64_t steps = read_steps(arguments);
  const auto request = sweep_request(arguments);
  const MachineConfig config = read_machine(arguments);
  check_is_product(arguments);
  const MatmulSpec spec = read_spec(arguments, {});
  report::ProductExplanation explanation = report::explain_product(spec, config, steps);
  explanation.report.machine_file = read_machine_file(arguments);
  if (request) {
    explanation.sweep = sweep_with_progress(
        runtime::swept_product(spec, config, request->dimension), *request, streams);
  }
  if (html) {
    const std::string command = command_line("explain", arguments.words);
    write_file(*html, report::page_html(report::product_page_data(explanation, command)));
  }
  return write_report(json, report::product_json(explanation), streams,
                      [&] { report::print_product(explanation, streams); });
}

int run_explain_conv(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, explain_conv_options());
  if (arguments.has("help")) return print_explain_conv_help(streams), 0;
  check_positional_count(arguments, 0);
  const auto json = json_target(arguments);
  const auto html = html_target(arguments);
  const runtime::ConvSpec spec = read_conv(arguments);
  const std::uint64_t steps = read_steps(arguments);
  const auto request = sweep_request(arguments);
  const MachineConfig machine = read_machine(arguments);
  report::ConvExplanation explanation = report::explain_conv(spec, machine, steps);
  explanation.report.machine_file = read_machine_file(arguments);
  if (request) {
    explanation.sweep = sweep_with_progress(runtime::swept_conv(spec, machine, request->dimension),
                                            *request, streams);
  } else {
    report::Progress progress(streams);
    report::add_candidates(explanation, [&](double share) { progress.update(share); });
  }
  if (html) {
    const std::string command = command_line("explain conv", arguments.words);
    report::Progress progress(streams);
    const auto update = [&](double share) { progress.update(share); };
    write_file(*html, report::page_html(report::conv_page_data(explanation, command, update)));
  }
  return write_report(json, report::conv_explanation_json(explanation), streams,
                      [&] { report::print_conv(explanation, streams); });
}

int run_explain_why(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, why_options());
  if (arguments.has("help")) return print_why_help(streams), 0;
  check_two_reports(arguments,
                    "--why: give two --json reports, A.json B.json, of runs of one workload");
  const auto json = json_target(arguments);
  const auto html = html_target(arguments);
  const report::RecordedRun a = report::read_recorded_run(arguments.positionals[0]);
  const report::RecordedRun b = report::read_recorded_run(arguments.positionals[1]);
  const report::Why why = [&] {
    report::Progress progress(streams);
    return report::explain_why(a, b, [&](double share) { progress.update(share); });
  }();
  if (html) {
    write_file(*html, report::page_html(
                          report::why_page_data(why, command_line("explain", arguments.words))));
  }
  return write_report(json, report::why_json(why), streams,
                      [&] { report::print_why(why, streams); });
}

}  // namespace

int run_explain(const Words& words, const report::Streams& streams) {
  if (!words.empty() && words.front() == "conv") {
    return run_explain_conv({words.begin() + 1, words.end()}, streams);
  }
  if (asks_about_layer(words)) return run_explain_layer(words, streams);
  const bool why = std::ranges::find(words, "--why") != words.end();
  return why ? run_explain_why(words, streams) : run_explain_product(words, streams);
}

}  // namespace weft::cli
