// Finds where a run went wrong: the first node of a graph with a NaN or a value that its number
// format cannot hold.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "models/training/executor.h"

namespace weft::training {

/// Runs the graph on the CPU reference in float32. Returns the first node with an output that is
/// NaN or larger in magnitude than `largest`, as "node 'fc1' (Gemm)"; for such an input "input
/// 'NAME'"; empty if there is none.
std::string first_beyond(const graph::Graph& graph, const NamedTensors& inputs, float largest);

/// Whether every element of a float32 tensor is finite.
bool all_finite(const graph::Tensor& tensor);

}  // namespace weft::training
