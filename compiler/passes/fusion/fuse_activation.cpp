#include "compiler/passes/fusion/fuse_activation.h"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"

namespace weft::passes {

using graph::Attributes;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Trait;
using graph::ValueId;

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

Attributes named(Op op) {
  return {{kActivation, std::string(graph::to_string(op))}};
}

/// A bound of a Clip: `otherwise` if it is omitted, nullopt if it is unknown or no real number.
std::optional<float> bound(const Rewriter& rewriter, ValueId value, float otherwise) {
  if (value == kNoValue) return otherwise;
  const graph::Tensor* known = rewriter.ready(value);
  if (known == nullptr || !graph::is_float(known->type())) return std::nullopt;
  return static_cast<float>(real_scalar(*known));
}

std::optional<Attributes> clip_attributes(const Rewriter& rewriter, const Node& node) {
  const auto low = bound(rewriter, node.input(1), -kLargest);
  const auto high = bound(rewriter, node.input(2), kLargest);
  if (!low || !high) return std::nullopt;
  Attributes result = named(node.op);
  result.set("activation_alpha", *low);
  result.set("activation_beta", *high);
  return result;
}

bool fuse_activation_node(Rewriter& rewriter, const Node& node) {
  const auto attributes = activation_attributes(rewriter, node);
  if (!attributes || !rewriter.used_once(node.inputs[0]) ||
      !graph::is_float(rewriter.type(node.inputs[0]).type)) {
    return false;
  }
  const Node* before = rewriter.producer(node.inputs[0]);
  if (before == nullptr || !takes_epilogue(before->op) || before->attributes.has(kActivation)) {
    return false;
  }
  Node fused = rewriter.take(node.inputs[0]);
  set_attributes(fused, *attributes);
  fused.outputs = node.outputs;
  rewriter.emit(std::move(fused));
  return true;
}

}  // namespace

std::optional<Attributes> activation_attributes(const Rewriter& rewriter, const Node& node) {
  if (!has(node.op, Trait::kActivation)) return std::nullopt;
  if (node.op == Op::kClip) return clip_attributes(rewriter, node);
  constexpr std::array kFused = {"activation_alpha", "activation_beta"};
  const std::array<float, 2> values = graph::parameters_of(node.op, node.attributes);
  Attributes result = named(node.op);
  for (std::size_t i = 0; i < graph::operator_of(node.op).parameters.size(); ++i) {
    result.set(kFused.at(i), values.at(i));
  }
  return result;
}

void set_attributes(Node& node, const Attributes& more) {
  for (const auto& [name, value] : more.entries()) node.attributes.set(name, value);
}

graph::Graph fuse_activation(graph::Graph graph) {
  return rewrite(std::move(graph), fuse_activation_node);
}

}  // namespace weft::passes
