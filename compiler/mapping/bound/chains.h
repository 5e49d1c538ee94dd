// Contractions that use the same weights one after the other, as the steps of a recurrent layer do
// (docs/bounds.md, section 2.4).
//
//   h0 --> [x W] --> function --> h1 --> [x W] --> function --> h2 --> ...     a chain of W
//
// A chain is claimed only where element j of a step's operand depends on result j of the step
// before, because every node between them keeps the positions of its elements.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::compiler {

/// The steps in the longest chain of each square matrix that is the second operand of at least
/// three contractions of the machine. `on_host` has an entry for each node. The time is the number
/// of such matrices times the nodes between their first and last contraction.
std::map<graph::ValueId, std::size_t> chain_lengths(const graph::Graph& graph,
                                                    const std::vector<bool>& on_host);

}  // namespace weft::compiler
