#include "compiler/passes/rewrite/remove_dead_code.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/graph/builder/check.h"

namespace weft::passes {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::ValueId;

namespace {

/// Returns for each value whether a graph output depends on it; graph inputs always count. Clears
/// the outputs of unused nodes.
std::vector<bool> mark(Graph& graph) {
  std::vector<bool> wanted(graph.values.size());
  for (const graph::Output& output : graph.outputs) wanted[output.value] = true;
  const auto is_wanted = [&](ValueId value) { return value != kNoValue && wanted[value]; };
  for (auto at = graph.nodes.rbegin(); at != graph.nodes.rend(); ++at) {
    Node& node = *at;
    if (!std::ranges::any_of(node.outputs, is_wanted)) {
      node.outputs.clear();
      continue;
    }
    for (ValueId& output : node.outputs) {
      if (!is_wanted(output)) output = kNoValue;
    }
    for (const ValueId input : node.inputs) {
      if (input != kNoValue) wanted[input] = true;
    }
  }
  for (const ValueId input : graph.inputs) wanted[input] = true;
  return wanted;
}

/// Removes the values that do not stay. Returns the new number of each value.
std::vector<ValueId> compact(std::vector<graph::Value>& values, const std::vector<bool>& stays) {
  std::vector<ValueId> place(values.size(), kNoValue);
  ValueId next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!stays[i]) continue;
    if (next != i) values[next] = std::move(values[i]);
    place[i] = next++;
  }
  values.erase(values.begin() + next, values.end());
  return place;
}

void renumber(std::vector<ValueId>& ids, const std::vector<ValueId>& place) {
  for (ValueId& id : ids) {
    if (id != kNoValue) id = place[id];
  }
}

}  // namespace

Graph remove_dead_code(Graph graph) {
  const std::vector<bool> wanted = mark(graph);
  std::erase_if(graph.nodes, [](const Node& node) { return node.outputs.empty(); });
  const std::vector<ValueId> place = compact(graph.values, wanted);
  renumber(graph.inputs, place);
  for (graph::Output& output : graph.outputs) output.value = place[output.value];
  for (Node& node : graph.nodes) {
    renumber(node.inputs, place);
    renumber(node.outputs, place);
    // The number of a Split's outputs, including unused ones, determines the number of parts.
    if (node.op == graph::Op::kSplit) continue;
    while (node.outputs.back() == kNoValue) node.outputs.pop_back();
  }
  graph::check(graph);
  return graph;
}

}  // namespace weft::passes
