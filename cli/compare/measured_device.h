// A device of this computer on which `weft compare` measures: a few functions, so that a backend
// joins the table by giving them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compare/compare_row.h"
#include "cli/compare/product_values.h"
#include "cli/network_runner.h"
#include "compiler/graph/graph.h"

namespace weft::cli {

/// A network and what goes into it; `exact` are its outputs in float64.
struct MeasuredNetwork {
  const graph::Graph& graph;
  const NamedTensors& inputs;
  const NamedTensors& exact;
  double flop = 0;  // two to a MAC
};

struct MeasuredDevice {
  /// What it multiplies, its usual format first.
  std::vector<devices::NumberFormat> formats = {};
  /// Times the product after a warm-up and fills the row but for `device`: title, seconds, clock,
  /// peak, basis and details, and the largest difference from float64. Throws InputError if the
  /// device cannot.
  std::function<CompareRow(devices::NumberFormat format, ProductValues& values)> product = {};
  /// The same for a network.
  std::function<CompareRow(devices::NumberFormat format, const MeasuredNetwork& network)> network =
      {};
};

/// The names that open_measured_device() knows: "cpu", "cuda".
std::vector<std::string> measured_device_names();

/// Throws InputError if this computer, or this build, has no such device.
MeasuredDevice open_measured_device(std::string_view name);

/// The largest difference over all floating-point outputs; none if there is no such output.
std::optional<double> largest_output_error(const NamedTensors& outputs, const NamedTensors& exact);

}  // namespace weft::cli
