// A network: typed, shaped, static, single-assignment. Values are numbered; each is an input, a
// constant, or the output of exactly one node, and nodes stand in an order in which every value is
// made before it is used.
//
//     inputs --> node --> value --> node --> value --> outputs
//                  ^
//               constant
//
// Graphs come from a Builder (builder.h), which checks every node as it is added; passes take a
// graph and return another. check() holds the invariant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/constant.h"
#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

using ValueId = std::uint32_t;
/// Stands for an optional input that is left out, or an output that nobody wants.
inline constexpr ValueId kNoValue = 0xFFFF'FFFF;

struct Value {
  std::string name;
  ValueType type;
  std::optional<Constant> constant = {};
};

struct Node {
  Op op = Op::kIdentity;
  std::string name;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attributes attributes;

  /// Input `i`, or kNoValue if there is none.
  ValueId input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kNoValue; }
};

struct Output {
  std::string name;
  ValueId value = kNoValue;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<ValueId> inputs;
  std::vector<Output> outputs;
  std::vector<Node> nodes;

  const ValueType& type(ValueId value) const { return values[value].type; }
  bool is_constant(ValueId value) const { return values[value].constant.has_value(); }
};

/// `node 'conv1' (Conv)`, as errors name it.
std::string node_label(const Node& node);

/// For each value the node that makes it, or kNoProducer.
inline constexpr std::size_t kNoProducer = static_cast<std::size_t>(-1);
std::vector<std::size_t> producers(const Graph& graph);
/// For each value how often it is used, by nodes and as an output.
std::vector<std::size_t> use_counts(const Graph& graph);

/// The types of the outputs of `node`, of which the inputs are values of `graph` (not necessarily
/// one of its nodes yet); there are as many as node.outputs. Throws as infer_outputs() of
/// operator_table.h does.
std::vector<ValueType> infer_outputs(const Graph& graph, const Node& node);
/// The types of the outputs of one of the graph's nodes, those that nobody wants included.
std::vector<ValueType> output_types(const Graph& graph, const Node& node);

/// Throws InputError naming the node if the invariant above is broken, or if a node's inputs,
/// attributes or outputs are not what its operator gives (operator_table.h).
void check(const Graph& graph);

/// One line for each input, node and output, with types: what `weft` shows of a graph.
std::string to_text(const Graph& graph);
/// The same for Graphviz's dot: nodes with their operator and output shape, edges with shapes.
std::string to_dot(const Graph& graph);

}  // namespace weft::graph
