// Estimates how long a network would take on a device that is not available. Nodes run one after
// the other, each after a launch. A contraction takes as long as its matrix product (gemm_model.h).
// Any other node takes as long as moving the bytes that it reads and writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/devices/gemm_model.h"

namespace weft::devices {

struct LayerModel {
  std::string name;
  std::optional<GemmShape> shape = {};  // set for a contraction
  std::optional<GemmModel> product = {};
  double seconds = 0;  // with its launch
};

struct NetworkModel {
  std::vector<LayerModel> layers;  // nodes that cost time
  double useful_flop = 0;          // of the contractions
  double issued_flop = 0;          // of their tiles, padding included
  double occupied_flop = 0;        // of all units, idle or not, in all their waves
  double product_seconds = 0;      // contractions
  double traffic_seconds = 0;      // the rest
  double launch_seconds = 0;       // of all layers

  double seconds() const { return product_seconds + traffic_seconds + launch_seconds; }
  /// 1 - useful / issued; 0 without a contraction.
  double padding() const { return issued_flop > 0 ? 1 - useful_flop / issued_flop : 0; }
  /// 1 - useful / occupied; 0 without a contraction.
  double waste() const { return occupied_flop > 0 ? 1 - useful_flop / occupied_flop : 0; }
};

/// Contractions run in `format`, which the device must multiply. A float element counts as many
/// bytes as an operand of `format`. Reshapes and similar operators take no time. Throws InputError
/// if a recurrent operator is not unrolled or if sizes overflow.
NetworkModel model_network(const DeviceModel& device, NumberFormat format,
                           const graph::Graph& graph);

/// Bytes that a device must at least hold to run `graph`: the inputs, the outputs and the constants
/// that a node reads, each once. A float element counts as in model_network().
double network_bytes(const graph::Graph& graph, NumberFormat format);

}  // namespace weft::devices
