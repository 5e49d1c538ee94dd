#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/graph/graph.h"
#include "compiler/graph/one_line.h"

namespace weft::graph {
namespace {

std::string text(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string text(float value) {
  return fmt::format("{}", value);
}
std::string text(const std::string& value) {
  return fmt::format("\"{}\"", one_line(value));
}
std::string text(const Tensor& value) {
  return fmt::format("<{}>", to_string(value.value_type()));
}
template <class T>
std::string text(const std::vector<T>& values) {
  std::vector<std::string> each;
  each.reserve(values.size());
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
  return id == kNoValue ? "_" : fmt::format("%{}", one_line(graph.values[id].name));
}

std::string list_text(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const ValueId id : ids) names.push_back(name_text(graph, id));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string types_text(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> types;
  types.reserve(ids.size());
  for (const ValueId id : ids) types.push_back(id == kNoValue ? "_" : to_string(graph.type(id)));
  return fmt::format("{}", fmt::join(types, ", "));
}

std::string node_text(const Graph& graph, const Node& node) {
  return fmt::format("  {} = {}({}){} : {}\n", list_text(graph, node.outputs), to_string(node.op),
                     list_text(graph, node.inputs), attributes_text(node.attributes),
                     types_text(graph, node.outputs));
}

// Quotes and escapes `label` for dot: \" and \\ for these characters, \n for a new line.
std::string dot_string(std::string_view label) {
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

std::string outputs_label(const Graph& graph, const Node& node) {
  std::string label = fmt::format("{}\n{}", to_string(node.op), one_line(node.name));
  for (const ValueId id : node.outputs) {
    if (id != kNoValue) label += fmt::format("\n{}", to_string(graph.type(id)));
  }
  return label;
}

// Draws nodes as boxes, graph inputs and outputs as ellipses, and other values as edges. Omits
// constants, because they would outnumber everything else.
class DotWriter {
 public:
  explicit DotWriter(const Graph& graph) : graph_(graph), makers_(graph.values.size()) {}

  std::string write() {
    for (const ValueId id : graph_.inputs) add_input(id);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) add_node(i);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) add_output(i);
    return fmt::format("digraph {} {{\n{}}}\n", dot_string(one_line(graph_.name)), text_);
  }

 private:
  void add_box(std::string_view id, std::string_view label, std::string_view shape) {
    text_ += fmt::format("  {} [label={}, shape={}];\n", id, dot_string(label), shape);
  }

  void add_edge(ValueId id, std::string_view to) {
    if (id == kNoValue || makers_[id].empty()) return;
    text_ += fmt::format("  {} -> {} [label={}];\n", makers_[id], to,
                         dot_string(to_string(graph_.type(id).shape)));
  }

  void add_input(ValueId id) {
    makers_[id] = fmt::format("value{}", id);
    const std::string name = one_line(graph_.values[id].name);
    add_box(makers_[id], fmt::format("{}\n{}", name, to_string(graph_.type(id))), "ellipse");
  }

  void add_node(std::size_t i) {
    const Node& node = graph_.nodes[i];
    const std::string name = fmt::format("node{}", i);
    add_box(name, outputs_label(graph_, node), "box");
    for (const ValueId id : node.inputs) add_edge(id, name);
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) makers_[id] = name;
    }
  }

  void add_output(std::size_t i) {
    const std::string name = fmt::format("output{}", i);
    add_box(name, one_line(graph_.outputs[i].name), "ellipse");
    add_edge(graph_.outputs[i].value, name);
  }

  const Graph& graph_;
  std::vector<std::string> makers_;  // for each value, the dot node that makes it
  std::string text_;
};

}  // namespace

std::string to_text(const Graph& graph) {
  std::string result = fmt::format("graph {} {{\n", one_line(graph.name));
  for (const ValueId id : graph.inputs) {
    result += fmt::format("  input {} : {}\n", name_text(graph, id), to_string(graph.type(id)));
  }
  for (const Node& node : graph.nodes) result += node_text(graph, node);
  for (const Output& output : graph.outputs) {
    result += fmt::format("  output {} = {} : {}\n", one_line(output.name),
                          name_text(graph, output.value), to_string(graph.type(output.value)));
  }
  return result + "}\n";
}

std::string to_dot(const Graph& graph) {
  return DotWriter(graph).write();
}

}  // namespace weft::graph
