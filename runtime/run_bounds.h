// Gives a run the bound of what it computed.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/schedule/network_bound.h"
#include "runtime/network_run.h"

namespace weft::runtime {

/// The bound of one product.
inline compiler::Bound product_bound(const MatmulSpec& spec, const MachineConfig& config) {
  return compiler::lower_bound(spec, config);
}

/// Sets the bounds of the layers of a run of `network` on `config`.
template <class Network>
void add_layer_bounds(NetworkRun& run, const Network& network, const MachineConfig& config) {
  const std::vector<compiler::WorkBound> layers = compiler::layer_bounds(network, config);
  for (std::size_t i = 0; i < layers.size(); ++i) run.layers[i].bound = layers[i];
}

/// Sets them and the bound of the run.
template <class Network>
void add_bounds(NetworkRun& run, const Network& network, const MachineConfig& config) {
  run.bound = compiler::lower_bound(network, config);
  add_layer_bounds(run, network, config);
}

}  // namespace weft::runtime
