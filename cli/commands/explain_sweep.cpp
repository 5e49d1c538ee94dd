#include "cli/commands/explain_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "cli/options/common_options.h"
#include "cli/options/cost_options.h"
#include "cli/options/network_options.h"
#include "cli/options/search_options.h"
#include "cli/report_targets.h"
#include "report/explain/sweep_report.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "runtime/workload/network_source.h"

namespace weft::cli {
namespace {

po::options_description network_sweep_options() {
  po::options_description own("Explanation");
  own.add_options()(
      "sweep", text_value("KEY=VALUES"),
      "cycles over values of the batch or of a key of the machine, as in `weft sweep`: 1..64*2, "
      "64,128; or LO..HI:STEP");
  po::options_description all;
  all.add(own).add(network_flags()).add(effort_flag());
  all.add(general_flags({json_flag(), csv_flag("a line for each value"),
                         html_flag("cycles and padding over the values"), help_option()}));
  return all.add(machine_flags());
}

void print_network_sweep_help(const report::Streams& streams) {
  streams.out << "Usage: weft explain MODEL.onnx|NAME --sweep KEY=VALUES [OPTIONS]\n\n"
              << "Runs a network at each of some values and shows its cycles: of its batch, as in\n"
              << "--sweep batch=1..64*2, or of a key of the machine, as in\n"
              << "--sweep memory.gb_per_s=100..800:100.\n\n"
              << help_text(network_sweep_options());
}

runtime::ValueSweepRequest read_value_sweep(const Arguments& arguments) {
  const std::string text = *arguments.text("sweep");
  if (runtime::sweeps_size(text)) {
    throw InputError(
        "--sweep: m, k and n are sizes of a product or a convolution; a network has batch, and the "
        "machine has keys such as memory.gb_per_s");
  }
  runtime::ValueSweepRequest request = runtime::parse_value_sweep(text);
  if (request.name == "batch" && arguments.has("batch")) {
    throw InputError("--batch: is swept; drop it");
  }
  return request;
}

}  // namespace

po::options_description steps_flag() {
  po::options_description options("Explanation");
  options.add_options()("steps", text_value("N"),
                        "number of folds to list, or all; 8 if not given");
  return options;
}

po::options_description with_unused(const po::options_description& options) {
  po::options_description all(options);
  return all.add(steps_flag()).add(cost_flags());
}

void refuse_unused(const Arguments& arguments, std::string_view form) {
  for (const po::options_description& options : {steps_flag(), cost_flags()}) {
    for (const auto& option : options.options()) {
      const std::string& name = option->long_name();
      if (!arguments.has(name)) continue;
      throw InputError(fmt::format("--{} has no effect with {}; remove one of them", name, form));
    }
  }
}

po::options_description sweep_flag() {
  po::options_description options;
  options.add_options()("sweep", text_value("D=LO..HI"),
                        "cycles over a range instead: of m, k or n (of a convolution: images, "
                        "channels, filters), or of a key of the machine; :STEP may follow, or "
                        "for a key, as in `weft sweep`, *FACTOR, +STEP or a list");
  return options;
}

std::optional<SweepWish> read_sweep(const Arguments& arguments) {
  const auto text = arguments.text("sweep");
  if (!text) return std::nullopt;
  const bool is_size = runtime::sweeps_size(*text);
  SweepWish wish = is_size ? SweepWish(runtime::parse_sweep(*text))
                           : SweepWish(runtime::parse_value_sweep(*text));
  refuse_unused(arguments, "--sweep");
  return wish;
}

bool asks_about_network_sweep(const Words& words) {
  bool sweeps = false;
  bool names_network = false;
  bool is_value = false;  // of the option before
  bool ended = false;     // by "--": the other words are no options
  for (const std::string& word : words) {
    if (word == "--") {
      ended = true;
      continue;
    }
    const bool is_option = !ended && word.starts_with("--");
    if (is_option) sweeps = sweeps || word == "--sweep" || word.starts_with("--sweep=");
    const bool is_number = word.find_first_not_of("-0123456789") == std::string::npos;
    names_network = names_network || !(is_option || is_value || is_number);
    is_value = is_option && word.find('=') == std::string::npos;
  }
  return sweeps && names_network;
}

int run_explain_network_sweep(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, with_unused(network_sweep_options()));
  if (arguments.has("help")) return print_network_sweep_help(streams), 0;
  refuse_unused(arguments, "--sweep");
  const ReportTargets targets = report_targets(arguments);
  const runtime::ValueSweepRequest values = read_value_sweep(arguments);
  const runtime::NetworkRequest request = read_network_request(arguments);
  const SearchFlags search = read_search(arguments);
  const MachineConfig machine = read_machine(arguments);
  machine_out(arguments);  // throws before the work
  const graph::Graph graph = runtime::load_network(request);
  runtime::require_computation(request, graph);
  report::NetworkSweep network{
      report::describe_network("explain", request.model, runtime::batch_of(request, graph), graph),
      {}};
  network.report.engine = Engine::kAnalytic;
  network.report.machine = machine;
  network.report.machine_file = read_machine_file(arguments);
  network.report.network().sequence = request.sequence;
  network.report.network().kv_cache = request.kv_cache;
  {
    report::Progress progress(streams);
    network.sweep =
        runtime::run_value_sweep(runtime::swept_runs(request, search.effort), values, machine,
                                 [&](double share) { progress.update(share); });
  }
  write_machine_out(arguments, machine);
  return write_reports(
      targets, report::network_sweep_json(network),
      [&] { return report::sweep_csv(network.sweep); },
      [&] {
        return report::page_html(
            report::network_sweep_page_data(network, command_line("explain", arguments.words)));
      },
      streams, [&] { report::print_network_sweep(network, streams); });
}

}  // namespace weft::cli
