// Rows of `weft compare` that Weft's machine simulates, with one array as in the machine's
// configuration.
#pragma once

#include <functional>

#include "runtime/compare/compare_row.h"
#include "runtime/compare/device_request.h"
#include "runtime/compare/measured_device.h"
#include "runtime/measure/product_values.h"

namespace weft::runtime {

/// Throws the InputError or ConfigError that simulate_product() would throw before its run.
void check_simulated(const DeviceRequest& request, const devices::GemmShape& shape);

/// With `values`, engine fast runs on them. Null, or if memory does not hold its program: engine
/// analytic, which has no values. Throws
/// InputError, ConfigError, SimulationError.
CompareRow simulate_product(const DeviceRequest& request, const devices::GemmShape& shape,
                            ProductValues* values, const std::function<void(double)>& progress);

/// Simulates the network as `weft run` does. Null `values`: engine analytic.
CompareRow simulate_network(const DeviceRequest& request, const graph::Graph& graph, double flop,
                            const MeasuredNetwork* values,
                            const std::function<void(double)>& progress);

}  // namespace weft::runtime
