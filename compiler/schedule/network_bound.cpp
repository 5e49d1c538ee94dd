#include "compiler/schedule/network_bound.h"

#include <cstddef>
#include <variant>
#include <vector>

#include "compiler/schedule/product/product_graph.h"

namespace weft::compiler {
namespace {

/// The bound of the nodes that the host does not compute.
template <class Network>
Bound bound_of(const Network& network, const MachineConfig& config) {
  std::vector<std::size_t> host_nodes;
  for (const auto& step : network.steps) {
    if (const auto* host = std::get_if<HostStep>(&step)) host_nodes.push_back(host->node);
  }
  return lower_bound(network.graph, host_nodes, config);
}

}  // namespace

Bound lower_bound(const ScheduledNetwork& network, const MachineConfig& config) {
  return bound_of(network, config);
}

Bound lower_bound(const NetworkProgram& network, const MachineConfig& config) {
  return bound_of(network, config);
}

Bound lower_bound(const MatmulSpec& spec, const MachineConfig& config) {
  return lower_bound(product_graph(spec, config.dtype), {}, config);
}

}  // namespace weft::compiler
