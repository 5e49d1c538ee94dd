#include "models/networks/networks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "cli/commands/commands.h"
#include "cli/options/common_options.h"
#include "models/networks/count.h"
#include "report/json.h"

namespace weft::cli {
namespace {

using graph::Graph;
using graph::ValueType;
using networks::NetworkInfo;
using report::Json;

po::options_description networks_options() {
  return general_flags({json_flag(), help_option()});
}

void print_networks_help(const report::Streams& streams) {
  streams.out << "Usage: weft networks [NAME] [OPTIONS]\n\n"
              << "Lists the networks that come with weft, with their inputs, parameters and MACs\n"
              << "at batch 1, or prints one of them node by node.\n\n"
              << help_text(networks_options());
}

std::string input_text(const Graph& graph) {
  std::vector<std::string> types;
  for (const graph::ValueId input : graph.inputs) types.push_back(to_string(graph.type(input)));
  return fmt::format("{}", fmt::join(types, ", "));
}

void list_networks(const report::Streams& streams) {
  report::Table table("lllrr");
  table.add({"name", "what", "input", "parameters", "MACs"});
  for (const NetworkInfo& info : networks::networks()) {
    const Graph graph = networks::build_network(info.name);
    table.add({std::string(info.name), std::string(info.title), input_text(graph),
               si(static_cast<double>(networks::count_parameters(graph)), ""),
               si(static_cast<double>(networks::count_macs(graph)), "")});
  }
  streams.out << table.text(0);
}

report::Json value_json(const std::string& name, const ValueType& type) {
  return {{"name", name}, {"type", to_string(type.type)}, {"shape", type.shape}};
}

report::Json network_json(const NetworkInfo& info) {
  const Graph graph = networks::build_network(info.name);
  report::Json inputs = report::Json::array();
  report::Json outputs = report::Json::array();
  for (const graph::ValueId input : graph.inputs) {
    inputs.push_back(value_json(graph.values[input].name, graph.type(input)));
  }
  for (const graph::Output& output : graph.outputs) {
    outputs.push_back(value_json(output.name, graph.type(output.value)));
  }
  return {
      {"name", info.name},
      {"title", info.title},
      {"source", info.source},
      {"inputs", std::move(inputs)},
      {"outputs", std::move(outputs)},
      {"longest_sequence", info.sequence > 0 ? report::Json(info.longest) : report::Json(nullptr)},
      {"nodes", graph.nodes.size()},
      {"parameters", networks::count_parameters(graph)},
      {"macs", networks::count_macs(graph)}};
}

/// All networks, or only the named one.
std::span<const NetworkInfo> selected(const Arguments& arguments) {
  if (arguments.positionals.empty()) return networks::networks();
  return {&networks::find_network(arguments.positionals.front()), 1};
}

std::string json_text(std::span<const NetworkInfo> infos) {
  report::Json all = report::Json::array();
  for (const NetworkInfo& info : infos) all.push_back(network_json(info));
  const report::Json json = {{"schema", 1}, {"command", "networks"}, {"networks", std::move(all)}};
  return report::json_file_text(json);
}

void print_text(const Arguments& arguments, const report::Streams& streams) {
  if (arguments.positionals.empty()) {
    list_networks(streams);
  } else {
    streams.out << to_text(networks::build_network(arguments.positionals.front()));
  }
}

}  // namespace

int run_networks(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, networks_options());
  if (arguments.has("help")) return print_networks_help(streams), 0;
  check_positional_count(arguments, 1);
  const auto json = arguments.text("json");
  if (json && *json != "-") check_writable(*json);
  const std::span<const NetworkInfo> infos = selected(arguments);
  if (json == "-") {
    streams.out << json_text(infos);
    return 0;
  }
  if (json) write_file(*json, json_text(infos));
  print_text(arguments, streams);
  return 0;
}

}  // namespace weft::cli
