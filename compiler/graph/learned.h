// Which constants of a network training learns: weights, biases, embeddings, scales and biases of
// normalisations. Not learnt: running means and variances, quantisation scales and zero points,
// shapes, indices, attention masks, scalars. One rule for counting parameters and for training.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace weft::graph {

/// The learnt constants of `graph`, each once, in the order of their first use. Quantised networks'
/// integer weights are among them. No constant is made for this.
std::vector<ValueId> learned_constants(const Graph& graph);

}  // namespace weft::graph
