#include "runtime/network_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace weft::runtime {
namespace {

/// The first output that the node has; an LSTM may omit Y.
graph::ValueId first_output(const graph::Node& node) {
  return *std::ranges::find_if(node.outputs,
                               [](graph::ValueId output) { return output != graph::kNoValue; });
}

}  // namespace

std::vector<std::string> told_apart(std::vector<std::string> names) {
  std::set<std::string> taken(names.begin(), names.end());
  std::map<std::string, std::size_t> last;  // number of the last layer of that name
  for (std::string& name : names) {
    std::size_t& number = last[name];
    if (++number == 1) continue;
    std::string numbered = fmt::format("{}:{}", name, number);
    while (!taken.insert(numbered).second) numbered = fmt::format("{}:{}", name, ++number);
    name = std::move(numbered);
  }
  return names;
}

void tell_apart(std::vector<LayerRun>& layers) {
  std::vector<std::string> names;
  for (const LayerRun& layer : layers) names.push_back(layer.info.name);
  names = told_apart(std::move(names));
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].info.name = std::move(names[i]);
}

LayerRun host_layer(const graph::Graph& graph, const compiler::HostStep& step) {
  const graph::Node& node = graph.nodes[step.node];
  LayerRun layer;
  layer.on_host = true;
  layer.info.name = node.name;
  layer.info.op = to_string(node.op);
  layer.info.note = step.reason;
  layer.info.result = graph.type(first_output(node));
  return layer;
}

std::vector<LayerRun> layer_runs(std::span<const compiler::LayerInfo> layers,
                                 std::span<const CycleLedger> ledgers,
                                 std::span<const EventCounts> events,
                                 std::span<const CriticalPath> paths) {
  std::vector<LayerRun> runs;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LayerRun layer;
    layer.info = layers[i];
    layer.ledger = ledgers[i];
    layer.cycles = ledgers[i].sum();
    layer.events = events[i];
    layer.path = paths[i];
    runs.push_back(std::move(layer));
  }
  return runs;
}

void add_program(NetworkRun& run, const Result& result, std::span<const LayerRun> layers) {
  std::uint64_t weight_rows = 0;  // bytes; for the machine they are rows like all others
  for (const LayerRun& layer : layers) {
    weight_rows += layer.info.weight_row_bytes;
    run.useful_macs += layer.info.macs;
    run.layers.push_back(layer);
  }
  for (const LedgerClass& entry : kLedgerClasses) {
    run.ledger.*entry.cycles += result.ledger.*entry.cycles;
  }
  run.path += result.critical_path;
  run.total += result.total;
  run.traffic.weight_bytes += result.traffic.weight_bytes + weight_rows;
  run.traffic.input_bytes += result.traffic.input_bytes - weight_rows;
  run.traffic.output_bytes += result.traffic.output_bytes;
  run.events += result.events;
  run.issued_macs += result.issued_macs;
  run.instructions += result.instructions;
  run.compared_cycles += result.compared_cycles;
  ++run.programs;
}

}  // namespace weft::runtime
