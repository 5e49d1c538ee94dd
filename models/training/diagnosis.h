// Where a run went wrong: the first node of a graph that gives infinities or NaNs.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "models/training/executor.h"

namespace weft::training {

/// "node 'fc1' (Gemm)": the first in the graph's order of which an output is not finite on the CPU
/// reference in float32; empty if there is none. For an input that is not finite: "input 'NAME'".
std::string first_not_finite(const graph::Graph& graph, const NamedTensors& inputs);

/// Whether every element of a float32 tensor is finite.
bool all_finite(const graph::Tensor& tensor);

}  // namespace weft::training
