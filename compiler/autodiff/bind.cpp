// with_values() and bind_inputs() put constants into an existing graph.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/one_line.h"

namespace weft::autodiff {
namespace {

using graph::Graph;
using graph::one_line;
using graph::ValueId;
using graph::ValueType;

void expect_type(const Graph& graph, const graph::Value& value, const ValueType& given) {
  if (given == value.type) return;
  throw InputError(fmt::format("network '{}': '{}' is {}, given is {}", one_line(graph.name),
                               one_line(value.name), to_string(value.type), to_string(given)));
}

[[noreturn]] void refuse(const Graph& graph, const std::string& name, std::string_view what) {
  throw InputError(fmt::format("network '{}': there is no {} '{}'; give the values of this network",
                               one_line(graph.name), what, one_line(name)));
}

graph::Value& constant_named(Graph& graph, const std::string& name) {
  const auto found = std::ranges::find_if(graph.values, [&](const graph::Value& value) {
    return value.constant.has_value() && value.name == name;
  });
  if (found == graph.values.end()) refuse(graph, name, "constant");
  return *found;
}

}  // namespace

Graph with_values(const Graph& network, const std::map<std::string, graph::Tensor>& values) {
  Graph result = network;
  for (const auto& [name, tensor] : values) {
    graph::Value& value = constant_named(result, name);
    expect_type(result, value, tensor.value_type());
    value.constant = tensor;
  }
  return result;
}

Graph bind_inputs(Graph graph, const std::map<std::string, graph::Constant>& values) {
  for (const auto& value_of_name : values) {
    const std::string& name = value_of_name.first;
    const graph::Constant& constant = value_of_name.second;
    const auto input = std::ranges::find_if(
        graph.inputs, [&](ValueId id) { return graph.values[id].name == name; });
    if (input == graph.inputs.end()) refuse(graph, name, "input");
    graph::Value& value = graph.values[*input];
    expect_type(graph, value, constant.type());
    value.constant = constant;
    graph.inputs.erase(input);
  }
  return graph;
}

}  // namespace weft::autodiff
