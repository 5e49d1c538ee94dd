// The memory that a run of a network with values takes, before it takes it.
#pragma once

#include "compiler/schedule/compile_network.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

/// Bytes of the network's values on the host: inputs, outputs, matrices that pass between host and
/// machine, and with `checked` the results of all layers and what their check computes beside them.
double value_bytes(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                   bool checked);

/// True if the float32 weights of the graph fit in this computer's memory.
bool weights_fit(const graph::Graph& graph);

/// Throws InputError naming `network` unless weights_fit(): for whoever needs values.
void check_weights_fit(const std::string& network, const graph::Graph& graph);

/// Throws InputError if they exceed this computer's memory.
void check_values_fit(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                      bool checked);

}  // namespace weft::runtime
