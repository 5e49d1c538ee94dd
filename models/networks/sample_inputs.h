// Sample inputs for a network, built-in or imported, when the user gives none: drawn digits if the
// input has their shape, token numbers if a table is read, else noise of variance 1 (as normalized
// images have).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::networks {

/// One tensor per graph input, by name. The same seed gives the same tensors:
///   float [N, 784] or [N, 1, 28, 28]   digits 0, 1, 2, ...
///   other floats                       uniform, mean 0 and variance 1, rounded to the input's type
///   bytes                              uniform over their range
///   longer integers                    uniform below the extent of the smallest axis that a Gather
///                                      indexes with them; 0 if there is none
///   bools                              0
/// Throws InputError if an input is larger than the memory.
std::map<std::string, graph::Tensor> sample_inputs(const graph::Graph& graph, std::uint64_t seed);

}  // namespace weft::networks
