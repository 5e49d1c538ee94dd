// Contractions that use the same weights one after the other, as the steps of a recurrent layer do
// (docs/bounds.md, section 2.4).
//
//   h0 --> [x W] --> function --> h1 --> [x W] --> function --> h2 --> ...     a chain of W
//
// A chain is claimed only where element j of a step's operand depends on result j of the step
// before, because every node between them keeps the positions of its elements, or multiplies with
// another square matrix. Several matrices are a chain together if the steps of all use the same
// operands, as the gates of an LSTM do.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::compiler {

struct WeightChain {
  std::vector<graph::ValueId> weights;  // square matrices of one size
  std::size_t steps = 0;
};

/// The longest chain of each square matrix that is the second operand of at least three
/// contractions of the machine. No matrix is in two chains. `on_host` has an entry for each node.
/// The time is the number of such matrices times the nodes between their first and last
/// contraction.
std::vector<WeightChain> weight_chains(const graph::Graph& graph, const std::vector<bool>& on_host);

}  // namespace weft::compiler
