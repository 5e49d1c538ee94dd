// Which images have several lines in a row of the buffer (joined_lines.h), and how many.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/layers/layers.h"
#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// For each value how many of its lines are joined, and with which border. Only what convolutions
/// and lane-by-lane operators compute is joined, and only if a joined row fits in the columns of
/// the array, which are the lanes of the vector unit. The numbers are those with the lowest
/// estimated cycles: each convolution alone, and what it costs to take lines apart again for
/// operators that cannot read them joined. Only an image that goes from one convolution to others
/// has a border.
std::vector<ImageLines> plan_lines(const graph::Graph& graph, const MachineConfig& config,
                                   const MappingOptions& options);

}  // namespace weft::compiler
