// Bias, residual and activation after a contraction (the extensions in compiler/graph/op.h).
#pragma once

#include "models/reference/cuda/graph/node_run.h"

namespace weft::cuda {

/// The epilogue of a node with its bias as input 2 and its residual as input 3, on the result `y`.
/// The caller sets how the bias is read (ContractionEpilogue).
ContractionEpilogue epilogue_of(NodeRun& node, float* y);

/// Runs the epilogue on the node's result, unless it would change nothing.
void finish(NodeRun& node, const ContractionEpilogue& epilogue);

}  // namespace weft::cuda
