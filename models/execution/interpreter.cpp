#include "models/execution/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"

namespace weft::execution {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

namespace {

/// Throws InputError if a name is not the name of a graph input.
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

}  // namespace

Interpreter::Interpreter(const Graph& graph, GraphDevice& device, Observer observer)
    : Interpreter(graph, device, std::move(observer), graph::use_counts(graph)) {}

Interpreter::Interpreter(const Graph& graph, GraphDevice& device, Observer observer,
                         std::vector<std::size_t> use_counts)
    : graph_(graph),
      device_(device),
      observer_(std::move(observer)),
      use_counts_(std::move(use_counts)) {}

NamedTensors Interpreter::run(const NamedTensors& inputs) {
  begin(inputs);
  for (const Node& node : graph_.nodes) run_node(node);
  return outputs();
}

void Interpreter::begin(const NamedTensors& inputs) {
  for (ValueId id = 0; id < graph_.values.size(); ++id) {
    if (!device_.keeps(id)) device_.drop(id);
  }
  uses_left_ = use_counts_;
  check_names(graph_, inputs);
  for (const ValueId id : graph_.inputs) take_input(graph_.values[id], id, inputs);
}

void Interpreter::take_input(const graph::Value& value, ValueId id, const NamedTensors& inputs) {
  const auto given = inputs.find(value.name);
  if (given == inputs.end()) {
    throw InputError(fmt::format("graph '{}': input '{}' ({}) is missing", graph_.name, value.name,
                                 to_string(value.type)));
  }
  const graph::ValueType type = given->second.value_type();
  const graph::ValueType held{device_.held_type(value.type.type), value.type.shape};
  if (type != value.type && type != held) {
    throw InputError(fmt::format("graph '{}': input '{}' must be {}, not {}", graph_.name,
                                 value.name, to_string(value.type), to_string(type)));
  }
  device_.set(id, given->second);
}

void Interpreter::run_node(const Node& node) {
  try {
    device_.run(node, observer_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", node_label(node), error.what()));
  } catch (const std::bad_alloc&) {
    throw InputError(node_label(node) + ": not enough memory for its result");
  }
  drop_used(node);
}

void Interpreter::drop_used(const Node& node) {
  for (const ValueId id : node.inputs) {
    if (id != kNoValue && --uses_left_[id] == 0 && !device_.keeps(id)) device_.drop(id);
  }
  for (const ValueId id : node.outputs) {
    if (id != kNoValue && uses_left_[id] == 0 && !device_.keeps(id)) device_.drop(id);
  }
}

NamedTensors Interpreter::outputs() {
  NamedTensors result;
  for (const graph::Output& output : graph_.outputs) {
    result.insert_or_assign(output.name, device_.get(output.value));
  }
  return result;
}

}  // namespace weft::execution
