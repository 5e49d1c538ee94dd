// The basis of most passes: visits the nodes of a graph in order and keeps or replaces each one.
// The nodes before the visited one are already rewritten, so a pattern can grow from node to node
// (Conv, then its bias, then its activation).
//
//     rewritten nodes    |  the visited node  |  nodes to come
//     producer(), take() |  inputs resolved   |  not changed yet
//
// Invariants: Values keep their numbers until the walk ends. After each visit, every used output of
// the visited node has a source: a rewritten node, a graph input, or a constant. Use counts include
// rewritten nodes and nodes to come. The result has no dead nodes and passes graph::check().
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::passes {

class Rewriter {
 public:
  explicit Rewriter(graph::Graph graph);

  const graph::ValueType& type(graph::ValueId value) const { return graph_.type(value); }
  const std::string& name(graph::ValueId value) const { return graph_.values[value].name; }
  /// The value's constant; null if it has none or if `value` is kNoValue.
  const graph::Constant* constant(graph::ValueId value) const;
  /// The elements of the value's constant if they are in memory, else null.
  const graph::Tensor* ready(graph::ValueId value) const;
  /// The rewritten node that makes `value`; null for inputs and constants. Valid until the next
  /// change.
  const graph::Node* producer(graph::ValueId value) const;
  /// The rewritten node that makes `value` if it has operator `op`, else null.
  const graph::Node* producer(graph::ValueId value, graph::Op op) const;
  /// The index of the producer among the rewritten nodes; graph::kNoProducer if there is none.
  std::size_t position(graph::ValueId value) const { return producers_[value]; }
  /// True if the value has exactly one use, by a node or as an output of the graph.
  bool used_once(graph::ValueId value) const { return uses_[value] == 1; }
  bool used(graph::ValueId value) const { return value != graph::kNoValue && uses_[value] != 0; }

  /// `stem`, with a number appended if the name is taken.
  std::string unique(std::string_view stem);
  /// A new value, named after `stem`. Emit a node that makes it afterwards.
  graph::ValueId new_value(graph::ValueType type, std::string_view stem);
  /// A new constant, named after `stem`.
  graph::ValueId add_constant(graph::Constant constant, std::string_view stem);
  /// A new node with one new output, both named after `stem`; returns the output.
  graph::ValueId add(graph::Op op, std::vector<graph::ValueId> inputs, graph::Attributes attributes,
                     std::string_view stem);
  /// Adds a node. Its outputs must exist: from the visited node, a taken node, or new_value().
  void emit(graph::Node node);
  /// Removes the rewritten node that makes `value` and returns it. The node must exist.
  graph::Node take(graph::ValueId value);
  /// Replaces all uses of `value` by `other`, which must have the same type.
  void replace(graph::ValueId value, graph::ValueId other);
  /// Makes `value`, an output of the visited node, a constant.
  void become(graph::ValueId value, graph::Constant constant);

 private:
  friend graph::Graph rewrite(graph::Graph graph,
                              const std::function<bool(Rewriter&, const graph::Node&)>& visit);

  graph::ValueId resolve(graph::ValueId value) const;
  graph::ValueId add_value(graph::Value value);
  void count(const std::vector<graph::ValueId>& inputs, std::ptrdiff_t change);
  graph::Graph finish();

  graph::Graph graph_;  // its nodes are the rewritten ones; a taken node has no outputs
  std::vector<graph::Node> source_;
  std::vector<std::size_t> producers_;
  std::vector<std::size_t> uses_;
  std::vector<graph::ValueId> replaced_by_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::size_t> numbers_;  // the last number appended to each name
};

/// True for a value that a DequantizeLinear makes from constant integers. fuse_qdq makes such a
/// bias an integer bias later.
bool is_dequantized_constant(const Rewriter& rewriter, graph::ValueId value);

/// Returns true if it has given every output of the node a new source. If it returns false, the
/// node is kept. The node's inputs are already resolved.
using Visit = std::function<bool(Rewriter&, const graph::Node&)>;

/// `graph` after a call of `visit` for each node in order. Throws InputError if the result is not a
/// valid graph.
graph::Graph rewrite(graph::Graph graph, const Visit& visit);

}  // namespace weft::passes
