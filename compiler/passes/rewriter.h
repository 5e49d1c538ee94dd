// What the passes are made of: a walk over a graph in its order, in which each node is either kept
// or replaced by others. What has been walked over is already rewritten, so that a pattern may grow
// from node to node (Conv, then its bias, then its activation).
//
//     rewritten nodes  |  the node visited  |  nodes to come
//     producer(), take()      inputs resolved      know nothing of it yet
//
// Invariants: values keep their numbers until the walk ends; every value that a node to come or an
// output of the graph uses is made by a rewritten node, an input, or a constant; uses are counted
// over both halves. The result has no dead nodes and passes graph::check().
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
  /// The value's constant; null if it has none, or if it is kNoValue.
  const graph::Constant* constant(graph::ValueId value) const;
  /// Its elements, if they exist already; else null.
  const graph::Tensor* ready(graph::ValueId value) const;
  /// The rewritten node that makes `value`; null for inputs and constants. Valid until the next
  /// change.
  const graph::Node* producer(graph::ValueId value) const;
  /// The same, if it is a node of operator `op`; else null.
  const graph::Node* producer(graph::ValueId value, graph::Op op) const;
  /// Where among the rewritten nodes the producer stands; graph::kNoProducer if there is none.
  std::size_t position(graph::ValueId value) const { return producers_[value]; }
  /// True if the value has one use, be it by a node or as an output of the graph.
  bool used_once(graph::ValueId value) const { return uses_[value] == 1; }
  bool used(graph::ValueId value) const { return value != graph::kNoValue && uses_[value] != 0; }

  /// `stem`, with a number behind it if the graph has that name already.
  std::string unique(std::string_view stem);
  /// A new value, named after `stem`, that a node yet to be emitted makes.
  graph::ValueId new_value(graph::ValueType type, std::string_view stem);
  /// A new constant, named after `stem`.
  graph::ValueId add_constant(graph::Constant constant, std::string_view stem);
  /// A new node with one new output, both named after `stem`; returns the output.
  graph::ValueId add(graph::Op op, std::vector<graph::ValueId> inputs, graph::Attributes attributes,
                     std::string_view stem);
  /// A node that makes existing values: those of the node visited, or of one that was taken.
  void emit(graph::Node node);
  /// Takes back the rewritten node that makes `value`, which must have one.
  graph::Node take(graph::ValueId value);
  /// Lets everything that uses `value` use `other` instead, which has the same type.
  void replace(graph::ValueId value, graph::ValueId other);
  /// Makes `value`, an output of the node visited, a constant.
  void become(graph::ValueId value, graph::Constant constant);

 private:
  friend graph::Graph rewrite(graph::Graph graph,
                              const std::function<bool(Rewriter&, const graph::Node&)>& visit);

  graph::ValueId resolve(graph::ValueId value) const;
  graph::ValueId add_value(graph::Value value);
  void count(const std::vector<graph::ValueId>& inputs, std::ptrdiff_t change);
  graph::Graph finish();

  graph::Graph graph_;  // its nodes are the rewritten ones; a node that was taken has no outputs
  std::vector<graph::Node> source_;
  std::vector<std::size_t> producers_;
  std::vector<std::size_t> uses_;
  std::vector<graph::ValueId> replaced_by_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::size_t> numbers_;  // the last one put behind a name
};

/// Returns true if it has given every output of the node a new source; the node is kept otherwise.
/// The node's inputs are those after the rewriting so far.
using Visit = std::function<bool(Rewriter&, const graph::Node&)>;

/// `graph` after `visit` has seen each of its nodes in order. Throws InputError if the result is no
/// valid graph.
graph::Graph rewrite(graph::Graph graph, const Visit& visit);

}  // namespace weft::passes
