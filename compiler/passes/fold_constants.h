// Computes what is known before the network runs: a node of which every input is a constant whose
// elements exist becomes constants itself.
//
// Values are those that the evaluator computes; a run on the same backend gives the same bits.
// Constants that are made on demand stay so: only where a node gives one another shape (Transpose,
// Reshape and the like), what it gives is made on demand from it. Left alone is DequantizeLinear
// unless asked for: it is how a quantised network says which integers its weights are (fuse_qdq.h).
#pragma once

#include <cstdint>

#include "compiler/graph/evaluator.h"
#include "compiler/graph/graph.h"

namespace weft::passes {

/// Larger outputs are left to the run: folding them would trade time for memory.
inline constexpr std::int64_t kLargestFolded = std::int64_t{64} << 20;  // elements

enum class FoldDequantize : bool { kNo, kYes };

/// Throws InputError naming the node if the evaluator does.
graph::Graph fold_constants(graph::Graph graph, const graph::Evaluator& evaluate,
                            FoldDequantize dequantize = FoldDequantize::kNo);

}  // namespace weft::passes
