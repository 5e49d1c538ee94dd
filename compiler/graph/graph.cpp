#include "compiler/graph/graph.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "compiler/graph/operator_table.h"
#include "sim/config/error.h"

namespace weft::graph {
namespace {

// Goes through a graph in order and keeps which values exist so far.
class Checker {
 public:
  explicit Checker(const Graph& graph) : graph_(graph), made_(graph.values.size(), false) {}

  void run() {
    for (std::size_t i = 0; i < graph_.values.size(); ++i) check_value(static_cast<ValueId>(i));
    for (const ValueId id : graph_.inputs) make(id, "an input");
    for (const Node& node : graph_.nodes) check_node(node);
    for (const Output& output : graph_.outputs) check_output(output);
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (!made_[i]) refuse(fmt::format("value '{}' is made by nothing", graph_.values[i].name));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("graph '{}': {}", graph_.name, what));
  }

  void check_value(ValueId id) {
    const Value& value = graph_.values[id];
    element_count(value.type.shape);
    if (!value.constant) return;
    if (value.constant->type() != value.type) {
      refuse(fmt::format("value '{}' is {}, but its constant is {}", value.name,
                         to_string(value.type), to_string(value.constant->type())));
    }
    make(id, "a constant");
  }

  void make(ValueId id, std::string_view what) {
    if (id >= made_.size()) refuse(fmt::format("{} is no value of the graph", what));
    if (made_[id]) {
      refuse(fmt::format("value '{}', {}, is made twice", graph_.values[id].name, what));
    }
    made_[id] = true;
  }

  void expect_made(ValueId id) const {
    if (id >= made_.size()) throw InputError("an input is no value of the graph");
    if (!made_[id]) {
      throw InputError(fmt::format("value '{}' is used before it is made", graph_.values[id].name));
    }
  }

  void check_node(const Node& node) {
    try {
      check_types(node);
      for (const ValueId id : node.outputs) {
        if (id != kNoValue) make(id, "an output");
      }
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", node_label(node), error.what()));
    }
  }

  void check_types(const Node& node) const {
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) expect_made(id);
    }
    const std::vector<ValueType> types = infer_outputs(graph_, node);
    for (std::size_t i = 0; i < types.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id >= graph_.values.size() || graph_.type(id) == types[i]) continue;
      throw InputError(fmt::format("output {} is {}, but the value '{}' has type {}", i,
                                   to_string(types[i]), graph_.values[id].name,
                                   to_string(graph_.type(id))));
    }
  }

  void check_output(const Output& output) {
    if (!output_names_.insert(output.name).second) {
      refuse(fmt::format("two outputs have the name '{}'", output.name));
    }
    if (output.value >= made_.size() || !made_[output.value]) {
      refuse(fmt::format("output '{}' is no value of the graph", output.name));
    }
  }

  const Graph& graph_;
  std::vector<bool> made_;
  std::unordered_set<std::string_view> output_names_;
};

}  // namespace

std::string node_label(const Node& node) {
  return fmt::format("node '{}' ({})", node.name, to_string(node.op));
}

std::vector<std::size_t> producers(const Graph& graph) {
  std::vector<std::size_t> result(graph.values.size(), kNoProducer);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId id : graph.nodes[i].outputs) {
      if (id != kNoValue) result[id] = i;
    }
  }
  return result;
}

std::vector<std::size_t> use_counts(const Graph& graph) {
  std::vector<std::size_t> result(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) ++result[id];
    }
  }
  for (const Output& output : graph.outputs) ++result[output.value];
  return result;
}

std::vector<ValueType> infer_outputs(const Graph& graph, const Node& node) {
  std::vector<const ValueType*> inputs;
  std::vector<const Tensor*> constants;
  for (const ValueId id : node.inputs) {
    const Value* value = id == kNoValue ? nullptr : &graph.values[id];
    inputs.push_back(value == nullptr ? nullptr : &value->type);
    const bool known = value != nullptr && value->constant.has_value();
    constants.push_back(known ? value->constant->ready() : nullptr);
  }
  return infer_outputs({node.op, node.attributes, inputs, constants, node.outputs.size()});
}

void check(const Graph& graph) {
  Checker(graph).run();
}

}  // namespace weft::graph
