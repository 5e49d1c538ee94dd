// Rows of `weft compare` that are modelled from published figures (models/devices). No device runs,
// so there are no values.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "runtime/compare/compare_row.h"
#include "runtime/compare/device_request.h"

namespace weft::runtime {

/// `tile` is the only tile that GPUs may use; nullopt: the best one. Throws InputError if operands
/// and result do not fit the device's memory.
CompareRow model_product(const DeviceRequest& request, const devices::GemmShape& shape,
                         std::optional<devices::Tile> tile);

/// Throws InputError if weights, inputs (with a cache of keys and values) and outputs of the
/// network do not fit the device's memory.
void check_network_fits(const DeviceRequest& request, const graph::Graph& graph);

/// `prepared` is the network after the passes, with recurrences unrolled; `flop` is the network's
/// FLOP. Throws InputError.
CompareRow model_network_row(const DeviceRequest& request, const graph::Graph& prepared,
                             double flop);

/// For a modelled device: the energy of its board at its rated power, an upper bound. Else nothing.
void add_board_energy(CompareRow& row, const DeviceRequest& request);

}  // namespace weft::runtime
