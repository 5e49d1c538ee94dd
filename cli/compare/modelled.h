// Rows of `weft compare` from published figures: no device, no values (models/devices).
#pragma once

#include <optional>

#include "cli/compare/compare_row.h"
#include "cli/compare/device_request.h"
#include "compiler/graph/graph.h"

namespace weft::cli {

/// `tile`: the only one that GPUs may use; else the best. Throws InputError if operands and result
/// do not fit the device's memory.
CompareRow model_product(const DeviceRequest& request, const devices::GemmShape& shape,
                         std::optional<devices::Tile> tile);

/// `prepared` has been through the passes, recurrences unrolled; `flop` are the network's. Throws
/// InputError.
CompareRow model_network_row(const DeviceRequest& request, const graph::Graph& prepared,
                             double flop);

}  // namespace weft::cli
