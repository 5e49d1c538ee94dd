#include "models/reference/cpu/graph_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::reference {

using graph::Graph;
using graph::ValueId;

const graph::Tensor& given_input(const Graph& graph, const graph::Value& value,
                                 const NamedTensors& inputs) {
  const auto given = inputs.find(value.name);
  if (given != inputs.end()) return given->second;
  throw InputError(fmt::format("graph '{}': input '{}' ({}) is missing", graph.name, value.name,
                               to_string(value.type)));
}

void check_names(const Graph& graph, const NamedTensors& inputs) {
  for (const auto& entry : inputs) {
    const std::string& name = entry.first;
    const auto has_name = [&](ValueId id) { return graph.values[id].name == name; };
    if (std::ranges::any_of(graph.inputs, has_name)) continue;
    std::string known;
    for (const ValueId id : graph.inputs) known += fmt::format(" '{}'", graph.values[id].name);
    throw InputError(fmt::format("graph '{}': there is no input '{}'; its inputs are{}", graph.name,
                                 name, known.empty() ? " none" : known));
  }
}

void throw_wrong_input(const Graph& graph, const graph::Value& value, const graph::Tensor& given) {
  throw InputError(fmt::format("graph '{}': input '{}' must be {}, not {}", graph.name, value.name,
                               to_string(value.type), to_string(given.value_type())));
}

}  // namespace weft::reference
