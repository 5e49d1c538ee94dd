// How long a network would take on a device that is not here: one node after the other, each
// contraction as its product (gemm_model.h), everything else as the bytes that it reads and writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/devices/gemm_model.h"

namespace weft::devices {

struct LayerModel {
  std::string name;
  std::optional<GemmShape> shape = {};  // of a contraction
  std::optional<GemmModel> product = {};
  double seconds = 0;
};

struct NetworkModel {
  std::vector<LayerModel> layers;  // nodes that cost time
  double useful_flop = 0;          // of the contractions
  double issued_flop = 0;          // of their tiles, in whole
  double occupied_flop = 0;        // of all units in all their waves
  double product_seconds = 0;      // contractions
  double traffic_seconds = 0;      // the rest

  double seconds() const { return product_seconds + traffic_seconds; }
  /// 1 - useful / issued; 0 without a contraction.
  double padding() const { return issued_flop > 0 ? 1 - useful_flop / issued_flop : 0; }
  /// 1 - useful / occupied; 0 without a contraction.
  double waste() const { return occupied_flop > 0 ? 1 - useful_flop / occupied_flop : 0; }
};

/// Contractions in `format`, which the device multiplies; floats take as many bytes as its
/// operands. Reshapes and their kin are free. Recurrent operators must have been unrolled.
/// Throws InputError if the sizes overflow.
NetworkModel model_network(const Device& device, NumberFormat format, const graph::Graph& graph);

}  // namespace weft::devices
