// Where a run went wrong: the first node of a graph that gives NaNs, or what its number format does
// not hold.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "models/training/executor.h"

namespace weft::training {

/// "node 'fc1' (Gemm)": the first in the graph's order of which an output is NaN or larger in
/// magnitude than `largest` on the CPU reference in float32; empty if there is none. For such an
/// input: "input 'NAME'".
std::string first_beyond(const graph::Graph& graph, const NamedTensors& inputs, float largest);

/// Whether every element of a float32 tensor is finite.
bool all_finite(const graph::Tensor& tensor);

}  // namespace weft::training
