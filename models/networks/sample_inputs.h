// Something to put into a network, built-in or imported, when the user gives nothing: drawn digits
// where the input has their shape, noise of variance 1 (as normalised images have) where it has
// another, token numbers where a table is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::networks {

/// One tensor for each input of the graph, by name; the same for the same seed. float inputs
/// [N, 784] and [N, 1, 28, 28] are digits 0, 1, 2, ...; other floats uniform with mean 0 and
/// variance 1, rounded to the input's type; bytes uniform over their range; longer integers uniform
/// below the extent of the smallest axis that a Gather indexes with them, 0 if none does; bools 0.
/// Throws InputError for an input larger than the memory.
std::map<std::string, graph::Tensor> sample_inputs(const graph::Graph& graph, std::uint64_t seed);

}  // namespace weft::networks
