#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/graph/graph.h"

namespace weft::graph {
namespace {

std::string text(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string text(float value) {
  return fmt::format("{}", value);
}
std::string text(const std::string& value) {
  return fmt::format("\"{}\"", value);
}
std::string text(const Tensor& value) {
  return fmt::format("<{}>", to_string(value.value_type()));
}
template <class T>
std::string text(const std::vector<T>& values) {
  std::vector<std::string> each;
  for (const T& value : values) each.push_back(text(value));
  return fmt::format("[{}]", fmt::join(each, ","));
}

std::string attributes_text(const Attributes& attributes) {
  std::vector<std::string> each;
  for (const auto& [name, value] : attributes.entries()) {
    each.push_back(
        fmt::format("{}={}", name, std::visit([](const auto& held) { return text(held); }, value)));
  }
  return each.empty() ? "" : fmt::format(" {{{}}}", fmt::join(each, ", "));
}

std::string name_text(const Graph& graph, ValueId id) {
  return id == kNoValue ? "_" : fmt::format("%{}", graph.values[id].name);
}

std::string list_text(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  for (const ValueId id : ids) names.push_back(name_text(graph, id));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string types_text(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> types;
  for (const ValueId id : ids) types.push_back(id == kNoValue ? "_" : to_string(graph.type(id)));
  return fmt::format("{}", fmt::join(types, ", "));
}

std::string node_text(const Graph& graph, const Node& node) {
  return fmt::format("  {} = {}({}){} : {}\n", list_text(graph, node.outputs), to_string(node.op),
                     list_text(graph, node.inputs), attributes_text(node.attributes),
                     types_text(graph, node.outputs));
}

// In quotes; dot takes \" and \\ for the characters, and \n for a new line.
std::string quoted(std::string_view label) {
  std::string result;
  for (const char c : label) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return fmt::format("\"{}\"", result);
}

std::string dot_node(std::string_view id, std::string_view label, std::string_view shape) {
  return fmt::format("  {} [label={}, shape={}];\n", id, quoted(label), shape);
}

std::string dot_edge(std::string_view from, std::string_view to, const ValueType& type) {
  return fmt::format("  {} -> {} [label={}];\n", from, to, quoted(to_string(type.shape)));
}

std::string outputs_label(const Graph& graph, const Node& node) {
  std::string label = fmt::format("{}\n{}", to_string(node.op), node.name);
  for (const ValueId id : node.outputs) {
    if (id != kNoValue) label += fmt::format("\n{}", to_string(graph.type(id)));
  }
  return label;
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string result = fmt::format("graph {} {{\n", graph.name);
  for (const ValueId id : graph.inputs) {
    result += fmt::format("  input %{} : {}\n", graph.values[id].name, to_string(graph.type(id)));
  }
  for (const Node& node : graph.nodes) result += node_text(graph, node);
  for (const Output& output : graph.outputs) {
    result += fmt::format("  output {} = {} : {}\n", output.name, name_text(graph, output.value),
                          to_string(graph.type(output.value)));
  }
  return result + "}\n";
}

// Values that nodes make are edges; inputs and outputs of the graph are boxes of their own, and
// constants are left out, as a network has more of them than of all else.
std::string to_dot(const Graph& graph) {
  std::string result = fmt::format("digraph {} {{\n", quoted(graph.name));
  std::vector<std::string> makers(graph.values.size());
  for (const ValueId id : graph.inputs) {
    makers[id] = fmt::format("value{}", id);
    result += dot_node(makers[id],
                       fmt::format("{}\n{}", graph.values[id].name, to_string(graph.type(id))),
                       "ellipse");
  }
  const auto add_edge = [&](ValueId id, std::string_view to) {
    if (id != kNoValue && !makers[id].empty()) result += dot_edge(makers[id], to, graph.type(id));
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const std::string name = fmt::format("node{}", i);
    result += dot_node(name, outputs_label(graph, node), "box");
    for (const ValueId id : node.inputs) add_edge(id, name);
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) makers[id] = name;
    }
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string name = fmt::format("output{}", i);
    result += dot_node(name, graph.outputs[i].name, "ellipse");
    add_edge(graph.outputs[i].value, name);
  }
  return result + "}\n";
}

}  // namespace weft::graph
