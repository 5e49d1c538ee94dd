#include "compiler/passes/rewrite/rewriter.h"

#include <cassert>
#include <utility>

#include "compiler/graph/shapes/infer_outputs.h"
#include "compiler/passes/rewrite/remove_dead_code.h"

namespace weft::passes {

using graph::Graph;
using graph::kNoProducer;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

Rewriter::Rewriter(Graph graph)
    : graph_(std::move(graph)),
      producers_(graph_.values.size(), kNoProducer),
      uses_(graph::use_counts(graph_)),
      replaced_by_(graph_.values.size(), kNoValue) {
  source_.swap(graph_.nodes);
  for (const graph::Value& value : graph_.values) names_.insert(value.name);
  for (const Node& node : source_) names_.insert(node.name);
}

const graph::Constant* Rewriter::constant(ValueId value) const {
  if (value == kNoValue || !graph_.is_constant(value)) return nullptr;
  return &*graph_.values[value].constant;
}

const Tensor* Rewriter::ready(ValueId value) const {
  const graph::Constant* known = constant(value);
  return known != nullptr ? known->ready() : nullptr;
}

const Node* Rewriter::producer(ValueId value) const {
  if (value == kNoValue || producers_[value] == kNoProducer) return nullptr;
  return &graph_.nodes[producers_[value]];
}

const Node* Rewriter::producer(ValueId value, graph::Op op) const {
  const Node* node = producer(value);
  return node != nullptr && node->op == op ? node : nullptr;
}

ValueId Rewriter::resolve(ValueId value) const {
  while (value != kNoValue && replaced_by_[value] != kNoValue) value = replaced_by_[value];
  return value;
}

std::string Rewriter::unique(std::string_view stem) {
  std::string name(stem);
  if (names_.insert(name).second) return name;
  std::size_t& number = numbers_[name];
  do {
    name = std::string(stem) + "_" + std::to_string(++number);
  } while (!names_.insert(name).second);
  return name;
}

ValueId Rewriter::add_value(graph::Value value) {
  graph_.values.push_back(std::move(value));
  producers_.push_back(kNoProducer);
  uses_.push_back(0);
  replaced_by_.push_back(kNoValue);
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId Rewriter::new_value(ValueType type, std::string_view stem) {
  return add_value({unique(stem), std::move(type)});
}

ValueId Rewriter::add_constant(graph::Constant constant, std::string_view stem) {
  ValueType type = constant.type();
  return add_value({unique(stem), std::move(type), std::move(constant)});
}

ValueId Rewriter::add(graph::Op op, std::vector<ValueId> inputs, graph::Attributes attributes,
                      std::string_view stem) {
  Node node{op, unique(stem), std::move(inputs), {kNoValue}, std::move(attributes)};
  ValueType type = graph::infer_outputs(graph_, node).front();
  node.outputs = {add_value({node.name, std::move(type)})};
  emit(std::move(node));
  return graph_.nodes.back().outputs.front();
}

void Rewriter::count(const std::vector<ValueId>& inputs, std::ptrdiff_t change) {
  for (const ValueId input : inputs) {
    if (input != kNoValue) uses_[input] += static_cast<std::size_t>(change);
  }
}

void Rewriter::emit(Node node) {
  count(node.inputs, +1);
  for (const ValueId output : node.outputs) {
    if (output != kNoValue) producers_[output] = graph_.nodes.size();
  }
  graph_.nodes.push_back(std::move(node));
}

Node Rewriter::take(ValueId value) {
  assert(producers_[value] != kNoProducer);
  Node taken = std::move(graph_.nodes[producers_[value]]);
  graph_.nodes[producers_[value]] = Node{};
  count(taken.inputs, -1);
  for (const ValueId output : taken.outputs) {
    if (output != kNoValue) producers_[output] = kNoProducer;
  }
  return taken;
}

void Rewriter::replace(ValueId value, ValueId other) {
  assert(type(value) == type(other));
  replaced_by_[value] = other;
  uses_[other] += std::exchange(uses_[value], 0);
}

void Rewriter::become(ValueId value, graph::Constant constant) {
  assert(type(value) == constant.type());
  graph_.values[value].constant = std::move(constant);
}

Graph Rewriter::finish() {
  std::erase_if(graph_.nodes, [](const Node& node) { return node.outputs.empty(); });
  for (graph::Output& output : graph_.outputs) output.value = resolve(output.value);
  return remove_dead_code(std::move(graph_));
}

bool is_dequantized_constant(const Rewriter& rewriter, ValueId value) {
  const Node* node = rewriter.producer(value, graph::Op::kDequantizeLinear);
  return node != nullptr && rewriter.constant(node->inputs[0]) != nullptr;
}

Graph rewrite(Graph graph, const Visit& visit) {
  Rewriter rewriter(std::move(graph));
  for (Node& node : std::exchange(rewriter.source_, {})) {
    for (ValueId& input : node.inputs) input = rewriter.resolve(input);
    const std::vector<ValueId> inputs = node.inputs;
    if (!visit(rewriter, node)) rewriter.emit(std::move(node));
    rewriter.count(inputs, -1);
  }
  return rewriter.finish();
}

}  // namespace weft::passes
