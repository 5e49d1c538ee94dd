// Replaces a node by constants if all its inputs are constants in memory.
//
// The evaluator computes the values; a run on the same backend gives the same bits. Constants made
// on demand stay so: if a node only rearranges one (Transpose, Reshape, Slice, ...), its output
// becomes a constant made on demand; other nodes do not change. The pass folds DequantizeLinear
// only with FoldDequantize::kYes, because fuse_qdq.h needs these nodes to find the integer weights
// of a quantized network.
#pragma once

#include <cstdint>

#include "compiler/graph/evaluator.h"
#include "compiler/graph/graph.h"

namespace weft::passes {

/// The pass does not fold a node with a larger output, because the constant would take too much
/// memory.
inline constexpr std::int64_t kLargestFolded = std::int64_t{64} << 20;  // elements

enum class FoldDequantize : bool { kNo, kYes };

/// Throws InputError with the node's label if the evaluator throws it.
graph::Graph fold_constants(graph::Graph graph, const graph::Evaluator& evaluate,
                            FoldDequantize dequantize = FoldDequantize::kNo);

}  // namespace weft::passes
