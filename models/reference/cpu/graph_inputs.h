// Checks of the input tensors for the runners of every backend.
#pragma once

#include <map>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::reference {

using NamedTensors = std::map<std::string, graph::Tensor>;

/// Throws InputError if a name is not the name of a graph input.
void check_names(const graph::Graph& graph, const NamedTensors& inputs);

/// The tensor for one of the graph's inputs. Throws InputError if it is missing.
const graph::Tensor& given_input(const graph::Graph& graph, const graph::Value& value,
                                 const NamedTensors& inputs);

/// Throws InputError: the tensor's type or shape differs from the graph input's.
[[noreturn]] void throw_wrong_input(const graph::Graph& graph, const graph::Value& value,
                                    const graph::Tensor& given);

}  // namespace weft::reference
