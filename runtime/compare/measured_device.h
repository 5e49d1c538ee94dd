// A device of this computer that `weft compare` measures. It is a struct of functions, so that a
// new backend only has to provide these functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/compare/compare_row.h"
#include "runtime/measure/product_values.h"
#include "runtime/network_runner.h"

namespace weft::runtime {

/// A network and its inputs; `exact` has its outputs in float64.
struct MeasuredNetwork {
  const graph::Graph& graph;
  const NamedTensors& inputs;
  const NamedTensors& exact;
  double flop = 0;  // two per MAC
};

struct MeasuredDevice {
  /// The formats that it multiplies, its usual format first.
  std::vector<devices::NumberFormat> formats = {};
  /// Times the product after a warm-up and fills the row except `device`: title, seconds, clock,
  /// peak, basis, details, and the largest difference from float64. Throws InputError if the device
  /// cannot compute it.
  std::function<CompareRow(devices::NumberFormat format, ProductValues& values)> product = {};
  /// Same for a network.
  std::function<CompareRow(devices::NumberFormat format, const MeasuredNetwork& network)> network =
      {};
};

/// The names that open_measured_device() knows: "cpu", "cuda".
std::vector<std::string> measured_device_names();

/// Throws InputError if this computer, or this build, has no such device.
MeasuredDevice open_measured_device(std::string_view name);

/// The largest difference over all floating-point outputs; nullopt if there is no such output.
std::optional<double> largest_output_error(const NamedTensors& outputs, const NamedTensors& exact);

}  // namespace weft::runtime
