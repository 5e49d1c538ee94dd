// Builds a graph node by node. add() infers and checks the types and shapes of each node, so every
// value in the graph always has a type and a shape. If all inputs of a node are known and the
// result is small, the builder computes the node at once and adds a constant instead. So shapes
// that a network computes from other shapes are numbers when shape inference needs them.
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
  /// Without an evaluator the builder computes only Shape nodes. With one, it computes a node if
  /// all inputs are constants in memory (Constant::ready) and the outputs have at most 65,536
  /// elements in total. It never computes DequantizeLinear, because passes::fuse_qdq needs that
  /// node to find the integer weights of a quantized network.
  explicit Builder(std::string name, Evaluator evaluate = {});

  /// Adds a graph input. Throws InputError if the name is empty or taken.
  ValueId input(std::string name, ValueType type);
  /// Adds a constant. The builder makes up a name if `name` is empty, and appends a number if the
  /// name is taken.
  ValueId constant(Constant constant, std::string name = "");

  /// Adds a node with one output and returns the output. The builder makes up a name if `name` is
  /// empty. kNoValue stands for an omitted optional input. Throws InputError
  /// `node 'NAME' (OP): what`.
  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::string name = "");
  /// Adds a node with one output per name. An empty name means that the output is not used; the
  /// result then has kNoValue in its place. The builder appends a number to a name that is taken.
  std::vector<ValueId> add(Op op, std::vector<ValueId> inputs, Attributes attributes,
                           std::string name, const std::vector<std::string>& output_names);

  /// Makes `value` an output of the graph. Throws InputError if another output has this name.
  void output(ValueId value, std::string name);

  /// Gives a value of the graph, which is not an input, another name. The builder appends a number
  /// to a name that is taken.
  void rename(ValueId value, const std::string& name);

  const ValueType& type(ValueId value) const { return graph_.type(value); }
  const Graph& graph() const { return graph_; }
  /// Returns the graph. Do not use the builder afterwards.
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
