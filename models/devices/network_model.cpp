#include "models/devices/network_model.h"

#include <set>
#include <utility>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "models/devices/contractions.h"

namespace weft::devices {
namespace {

using graph::Graph;
using graph::Node;

double bytes_of(const graph::ValueType& type, NumberFormat format) {
  const double each = graph::is_float(type.type)
                          ? operand_bytes(format)
                          : static_cast<double>(graph::size_bytes(type.type));
  return static_cast<double>(graph::element_count(type.shape)) * each;
}

/// Throws InputError for a recurrent operator: its single products are unknown until it is
/// unrolled.
void check_unrolled(const Node& node) {
  if (!has(node.op, graph::Trait::kRecurrent)) return;
  throw InputError(graph::node_label(node) +
                   ": cannot be modeled, because it cannot be unrolled; leave out the modeled "
                   "devices");
}

/// Bytes moved if every input is read once and every output written once.
double traffic(const Graph& graph, const Node& node, NumberFormat format) {
  double bytes = 0;
  for (const auto* values : {&node.inputs, &node.outputs}) {
    for (const graph::ValueId value : *values) {
      if (value != graph::kNoValue) bytes += bytes_of(graph.type(value), format);
    }
  }
  return bytes;
}

}  // namespace

NetworkModel model_network(const DeviceModel& device, NumberFormat format, const Graph& graph) {
  const double launch = device.launch_us * 1e-6;
  const double rate = device.memory_gb_per_s * 1e9 * device.memory_share;
  NetworkModel model;
  for (const Node& node : graph.nodes) {
    check_unrolled(node);
    if (has(node.op, graph::Trait::kMovesNothing)) continue;
    LayerModel layer;
    layer.name = node.name;
    layer.shape = contraction_of(graph, node);
    if (layer.shape) {
      layer.product = model_gemm(device, format, *layer.shape);
      const double product = layer.product->seconds() - layer.product->launch_seconds;
      model.useful_flop += layer.product->useful_flop;
      model.issued_flop += layer.product->issued_flop;
      model.occupied_flop += layer.product->occupied_flop;
      model.product_seconds += product;
      layer.seconds = launch + product;
    } else {
      const double moving = traffic(graph, node, format) / rate;
      model.traffic_seconds += moving;
      layer.seconds = launch + moving;
    }
    model.launch_seconds += launch;
    model.layers.push_back(std::move(layer));
  }
  return model;
}

double network_bytes(const Graph& graph, NumberFormat format) {
  std::set<graph::ValueId> held(graph.inputs.begin(), graph.inputs.end());
  for (const graph::Output& output : graph.outputs) held.insert(output.value);
  for (const Node& node : graph.nodes) {
    for (const graph::ValueId value : node.inputs) {
      if (value != graph::kNoValue && graph.is_constant(value)) held.insert(value);
    }
  }
  double bytes = 0;
  for (const graph::ValueId value : held) bytes += bytes_of(graph.type(value), format);
  return bytes;
}

}  // namespace weft::devices
