// Finds the constants that training learns: weights, biases, embeddings, and the scales and biases
// of normalizations. Training does not learn running means and variances, quantization scales and
// zero points, shapes, indices, attention masks, and scalars. Both the parameter count and the
// training use this rule.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace weft::graph {

/// The learned constants of `graph`, each once, in the order of their first use. The list includes
/// the integer weights of quantized networks. The function makes no constant's tensor.
std::vector<ValueId> learned_constants(const Graph& graph);

}  // namespace weft::graph
