#include "cli/commands/explain_layer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/stopwatch.h"
#include "cli/commands/explain_sweep.h"
#include "cli/network_job.h"
#include "cli/options/common_options.h"
#include "cli/options/network_options.h"
#include "cli/options/search_options.h"
#include "cli/report_targets.h"
#include "compiler/onnx/located.h"
#include "report/csv/layer_csv.h"
#include "report/explain/layer/layer_explanation.h"
#include "report/page/explain_page.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "runtime/network_timing.h"
#include "runtime/workload/network_source.h"

namespace weft::cli {
namespace {

po::options_description layer_options() {
  po::options_description own("Explanation");
  own.add_options()("layer", text_value("LAYER"), "the layer's name, as `weft run` lists it");
  po::options_description all;
  all.add(own).add(network_flags()).add(search_flags());
  all.add(general_flags({json_flag(), csv_flag(), html_flag(), help_option()}));
  return all.add(machine_flags());
}

void print_layer_help(const report::Streams& streams) {
  streams.out << "Usage: weft explain MODEL.onnx|NAME --layer LAYER [OPTIONS]\n\n"
              << "Shows the other ways to run a layer of a network beside the one that the\n"
              << "compiler chose, all simulated, and why each lost. Then what larger buffers or\n"
              << "a larger batch would win.\n\n"
              << help_text(layer_options());
}

/// The network's schedule and its run, which is all of the report but the candidates.
compiler::ScheduledNetwork run_network(const graph::Graph& graph, const SearchFlags& search,
                                       report::RunReport& report, const report::Streams& streams) {
  runtime::NetworkSchedule scheduled =
      find_schedule({report.network().name, graph, report.machine, nullptr, {}, search}, streams);
  report.notes = std::move(scheduled.notes);
  describe_search(search, scheduled.network, report.network());
  report::Progress progress(streams);
  const Stopwatch watch;
  report.run = runtime::time_network(scheduled.network, report.machine,
                                     [&](double share) { progress.update(share); });
  report.wall_seconds = watch.seconds();
  return std::move(scheduled.network);
}

/// The command that lists the layers as they are here: on this machine, at this batch.
std::string list_command(const Arguments& arguments) {
  return command_line("run",
                      words_without(arguments.words, {"--layer", "--json", "--html", "--csv"}));
}

report::LayerExplanation explain_layer(const runtime::NetworkRequest& request,
                                       const Arguments& arguments, report::RunReport report,
                                       const graph::Graph& graph, const SearchFlags& search,
                                       const report::Streams& streams) {
  compiler::ScheduledNetwork network = run_network(graph, search, report, streams);
  report::LayerExplanation explanation{std::move(report), 0, std::move(network), {}};
  explanation.layer =
      report::find_layer(explanation.report, *arguments.text("layer"), list_command(arguments));
  if (explanation.asked().on_host) return explanation;
  std::optional<compiler::MappingOptions> mapping;
  if (!search.follows) mapping.emplace().effort = search.effort;
  const std::int64_t batch = explanation.report.network().batch;
  const runtime::LargerBatch larger{batch, [&] {
                                      runtime::NetworkRequest twice = request;
                                      twice.batch = 2 * batch;
                                      return runtime::load_network(twice);
                                    }};
  report::Progress progress(streams);
  explanation.candidates = report::compare_candidates(
      {graph, explanation.report.machine, mapping, explanation.network, explanation.report.run,
       explanation.layer},
      larger, [&](double share) { progress.update(share, "candidates"); });
  return explanation;
}

std::string page_of(const report::LayerExplanation& explanation, const std::string& command,
                    const report::Streams& streams) {
  report::Progress progress(streams);
  const auto update = [&](double share) { progress.update(share); };
  return report::page_html(report::layer_page_data(explanation, command, update));
}

}  // namespace

bool asks_about_layer(const Words& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "--layer" || word.starts_with("--layer=");
  });
}

int run_explain_layer(const Words& words, const report::Streams& streams) {
  po::options_description options = with_unused(layer_options());
  options.add(sweep_flag());
  const Arguments arguments = parse_arguments(words, options);
  if (arguments.has("help")) return print_layer_help(streams), 0;
  refuse_unused(arguments, "--layer");
  if (arguments.has("sweep")) {
    throw InputError("--sweep has no effect with --layer; remove one of them");
  }
  const ReportTargets targets = report_targets(arguments);
  const runtime::NetworkRequest request = read_network_request(arguments);
  const SearchFlags search = read_search(arguments);
  const MachineConfig machine = read_machine(arguments);
  machine_out(arguments);  // throws before the work
  const graph::Graph graph = runtime::load_network(request);
  runtime::require_computation(request, graph);
  const report::LayerExplanation explanation = onnx_io::located(request.model, [&] {
    report::RunReport report = report::describe_network("explain", request.model,
                                                        runtime::batch_of(request, graph), graph);
    report.engine = Engine::kAnalytic;
    report.machine = machine;
    report.machine_file = read_machine_file(arguments);
    report.network().sequence = request.sequence;
    report.network().kv_cache = request.kv_cache;
    return explain_layer(request, arguments, std::move(report), graph, search, streams);
  });
  write_machine_out(arguments, machine);
  return write_reports(
      targets, report::layer_explanation_json(explanation),
      [&] { return report::layers_csv(explanation.report); },
      [&] { return page_of(explanation, command_line("explain", arguments.words), streams); },
      streams, [&] { report::print_layer(explanation, streams); });
}

}  // namespace weft::cli
