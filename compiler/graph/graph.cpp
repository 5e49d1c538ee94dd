#include "compiler/graph/graph.h"

#include <fmt/format.h>

#include "compiler/graph/one_line.h"

namespace weft::graph {

std::string node_label(const Node& node) {
  return fmt::format("node '{}' ({})", one_line(node.name), to_string(node.op));
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

}  // namespace weft::graph
