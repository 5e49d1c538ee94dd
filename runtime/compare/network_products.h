// The products and convolutions of a compared network, for whoever measures them elsewhere
// (tools/measure_gpu.py).
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/graph/graph.h"

namespace weft::runtime {

/// A list of objects with `name`, `op` and `shape` ("64x576x128", or "96*64x64x128" for 96
/// products) of each product, in the network's order. A convolution also has `conv`, null if its
/// product alone is to be measured: `input`, `weights`, `strides`, `pads` (all beginnings, then all
/// ends), `dilations`, `groups`.
nlohmann::ordered_json network_products(const graph::Graph& graph);

}  // namespace weft::runtime
