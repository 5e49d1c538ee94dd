// Puts a graph together, node by node. Each node's types are inferred and checked when it is added,
// so that a graph is typed and shaped at every moment. A node of which all inputs are known and
// small is computed at once and becomes a constant: shapes that a network computes from shapes are
// numbers by the time they are needed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/graph/evaluator.h"
#include "compiler/graph/graph.h"

namespace weft::graph {

class Builder {
 public:
  /// Without an evaluator nothing but Shape is computed. With one, a node is computed if all its
  /// inputs are constants that exist (Constant::ready) and its outputs have at most 65,536
  /// elements. DequantizeLinear is not: it says which integers a quantised network's weights are.
  explicit Builder(std::string name, Evaluator evaluate = {});

  /// A graph input. Throws InputError if the name is empty or taken.
  ValueId input(std::string name, ValueType type);
  /// A constant; without a name it gets one, and a number after it if it is taken.
  ValueId constant(Constant constant, std::string name = "");

  /// Adds a node with one output and returns it. An empty `name` is made up; kNoValue among the
  /// inputs is an optional input left out. Throws InputError `node 'NAME' (OP): what`.
  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::string name = "");
  /// The same with as many outputs as there are names; an empty name is an output that nobody
  /// wants, which comes back as kNoValue. A value whose name is taken gets a number after it.
  std::vector<ValueId> add(Op op, std::vector<ValueId> inputs, Attributes attributes,
                           std::string name, const std::vector<std::string>& output_names);

  /// Makes `value` an output of the graph. Throws InputError if the name is taken by an output.
  void output(ValueId value, std::string name);

  const ValueType& type(ValueId value) const { return graph_.type(value); }
  const Graph& graph() const { return graph_; }
  /// The graph. The builder is spent.
  Graph finish();

 private:
  std::vector<ValueType> infer(const Node& node) const;
  bool fold(const Node& node, const std::vector<ValueType>& types,
            const std::vector<std::string>& names, std::vector<ValueId>& results);
  bool ready_inputs(const Node& node, std::vector<const Tensor*>& inputs) const;
  ValueId new_value(std::string name, ValueType type);
  std::string unique(std::string_view stem);

  Graph graph_;
  Evaluator evaluate_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> output_names_;
  std::size_t made_up_ = 0;
};

}  // namespace weft::graph
