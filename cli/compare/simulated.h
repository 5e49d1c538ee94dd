// Rows of `weft compare` that Weft's own machine simulates: one core, as the machine's file says.
#pragma once

#include <functional>

#include "cli/compare/compare_row.h"
#include "cli/compare/device_request.h"
#include "cli/compare/measured_device.h"
#include "cli/compare/product_values.h"

namespace weft::cli {

/// What simulate_product() would refuse before it runs. Throws InputError, ConfigError.
void check_simulated(const DeviceRequest& request, const devices::GemmShape& shape);

/// `values` are those of the product for engine fast; null: engine analytic, which has none.
/// Throws InputError, ConfigError, SimulationError.
CompareRow simulate_product(const DeviceRequest& request, const devices::GemmShape& shape,
                            ProductValues* values, const std::function<void(double)>& progress);

/// The network as `weft run` runs it; `values` null: engine analytic.
CompareRow simulate_network(const DeviceRequest& request, const graph::Graph& graph, double flop,
                            const MeasuredNetwork* values,
                            const std::function<void(double)>& progress);

}  // namespace weft::cli
