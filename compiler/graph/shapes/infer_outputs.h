// The types and shapes of a node's outputs.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/shapes/signature.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

/// The types of a node's outputs. Also checks the number of inputs and outputs and the names of the
/// attributes. Throws InputError, without the node's name, for a wrong number, an unknown
/// attribute, a type that the operator does not accept, shapes that do not fit, or a shape that
/// depends on unknown elements ("input 1 (shape) must be known before the network runs").
std::vector<ValueType> infer_outputs(const NodeTypes& node);

/// The types of the node's outputs, one for each entry of node.outputs. The node's inputs must be
/// values of `graph`, but the graph need not contain the node yet. Throws the errors of
/// infer_outputs() above.
std::vector<ValueType> infer_outputs(const Graph& graph, const Node& node);
/// The types of the outputs of a node in the graph, including the unused outputs.
std::vector<ValueType> output_types(const Graph& graph, const Node& node);

}  // namespace weft::graph
