#include "compiler/schedule/network_bound.h"

#include <cstddef>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler/schedule/product/product_graph.h"

namespace weft::compiler {
namespace {

template <class Network>
std::vector<std::size_t> host_nodes_of(const Network& network) {
  std::vector<std::size_t> host_nodes;
  for (const auto& step : network.steps) {
    if (const auto* host = std::get_if<HostStep>(&step)) host_nodes.push_back(host->node);
  }
  return host_nodes;
}

/// The value that a layer computes; kNoValue for a layer that moves elements.
struct Computed {
  graph::ValueId value = graph::kNoValue;
  bool has_products = false;
};

std::vector<Computed> computed_by(const ScheduledSegment& step) {
  std::vector<Computed> all;
  for (const Layer& layer : step.segment.layers) all.push_back({layer.value, layer.macs > 0});
  return all;
}

std::vector<Computed> computed_by(const MachineStep& step) {
  std::vector<Computed> all;
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    all.push_back({step.results[i].value, step.layers[i].macs > 0});
  }
  return all;
}

/// Of each value the layer that computes it: the one with the products, if several give it.
struct LayerOfValue {
  std::vector<std::size_t> layers;
  std::size_t count = 0;
};

template <class Network>
LayerOfValue layers_of_values(const Network& network) {
  LayerOfValue found{std::vector<std::size_t>(network.graph.values.size(), kNoPart), 0};
  for (const auto& step : network.steps) {
    if (std::holds_alternative<HostStep>(step)) {
      ++found.count;
      continue;
    }
    using Step = std::variant_alternative_t<0, std::decay_t<decltype(step)>>;
    for (const Computed& each : computed_by(std::get<Step>(step))) {
      if (each.value != graph::kNoValue) {
        std::size_t& layer = found.layers[each.value];
        if (layer == kNoPart || each.has_products) layer = found.count;
      }
      ++found.count;
    }
  }
  return found;
}

/// A node whose result no layer gives went into a layer that reads the result, such as the product
/// before a quantization.
template <class Network>
std::vector<WorkBound> layer_bounds_of(const Network& network, const MachineConfig& config) {
  LayerOfValue found = layers_of_values(network);
  const std::vector<graph::Node>& nodes = network.graph.nodes;
  std::vector<bool> on_host(nodes.size(), false);
  for (const std::size_t node : host_nodes_of(network)) on_host[node] = true;
  std::vector<std::size_t> part_of(nodes.size(), kNoPart);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (on_host[i]) continue;
    for (const graph::ValueId output : nodes[i].outputs) {
      if (output != graph::kNoValue && found.layers[output] != kNoPart) {
        part_of[i] = found.layers[output];
      }
    }
    for (const graph::ValueId input : nodes[i].inputs) {
      if (input != graph::kNoValue && found.layers[input] == kNoPart) {
        found.layers[input] = part_of[i];
      }
    }
  }
  return work_bounds(network.graph, part_of, found.count, config);
}

}  // namespace

std::vector<WorkBound> layer_bounds(const ScheduledNetwork& network, const MachineConfig& config) {
  return layer_bounds_of(network, config);
}

std::vector<WorkBound> layer_bounds(const NetworkProgram& network, const MachineConfig& config) {
  return layer_bounds_of(network, config);
}

Bound lower_bound(const ScheduledNetwork& network, const MachineConfig& config) {
  return lower_bound(network.graph, host_nodes_of(network), config);
}

Bound lower_bound(const NetworkProgram& network, const MachineConfig& config) {
  return lower_bound(network.graph, host_nodes_of(network), config);
}

Bound lower_bound(const MatmulSpec& spec, const MachineConfig& config) {
  return lower_bound(product_graph(spec, config.dtype), {}, config);
}

}  // namespace weft::compiler
