// A network as a static graph in single-assignment form. Every value has a number, a type and a
// shape. A value is an input, a constant, or the output of exactly one node. The order of the nodes
// ensures that every value is made before it is used.
//
//     inputs --> node --> value --> node --> value --> outputs
//                  ^
//               constant
//
// A Builder (builder/builder.h) makes graphs and checks every node that it adds. Passes take a
// graph and return another. check() (builder/check.h) verifies the invariant.
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
/// Stands for an omitted optional input or an unused output.
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

/// The node's label in error messages: `node 'conv1' (Conv)`.
std::string node_label(const Node& node);

/// producers() returns one entry per value: the index of the node that makes it, or kNoProducer.
inline constexpr std::size_t kNoProducer = static_cast<std::size_t>(-1);
std::vector<std::size_t> producers(const Graph& graph);
/// For each value, the number of its uses by nodes and as a graph output.
std::vector<std::size_t> use_counts(const Graph& graph);

/// The text that `weft` prints for a graph: one line for each input, node and output, with types.
std::string to_text(const Graph& graph);
/// The graph in Graphviz's dot language: nodes with operator and output types, edges with shapes.
std::string to_dot(const Graph& graph);

}  // namespace weft::graph
