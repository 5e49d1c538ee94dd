#include "compiler/passes/fuse_activation.h"

#include <limits>
#include <string>
#include <utility>

#include "compiler/passes/constants.h"
#include "compiler/passes/contraction.h"

namespace weft::passes {

using graph::Attributes;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::ValueId;

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

Attributes named(Op op) {
  return {{kActivation, std::string(graph::to_string(op))}};
}

Attributes with_alpha(const Node& node, float otherwise) {
  Attributes result = named(node.op);
  result.set("activation_alpha", node.attributes.real("alpha", otherwise));
  return result;
}

Attributes with_two(const Node& node, float alpha, const char* second, float beta) {
  Attributes result = with_alpha(node, alpha);
  result.set("activation_beta", node.attributes.real(second, beta));
  return result;
}

/// A bound of a Clip: `otherwise` if it is omitted, nullopt if it is unknown.
std::optional<float> bound(const Rewriter& rewriter, ValueId value, float otherwise) {
  if (value == kNoValue) return otherwise;
  const graph::Tensor* known = rewriter.ready(value);
  if (known == nullptr) return std::nullopt;
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
  if (before == nullptr || !is_contraction(before->op) || before->op == Op::kConvTranspose ||
      before->attributes.has(kActivation)) {
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
  switch (node.op) {
    case Op::kRelu:
    case Op::kSigmoid:
    case Op::kHardSwish:
    case Op::kTanh:
    case Op::kErf:
    case Op::kSoftplus:
      return named(node.op);
    case Op::kLeakyRelu:
      return with_alpha(node, 0.01F);
    case Op::kElu:
      return with_alpha(node, 1.0F);
    case Op::kSelu:
      return with_two(node, 1.67326319217681884765625F, "gamma", 1.05070102214813232421875F);
    case Op::kHardSigmoid:
      return with_two(node, 0.2F, "beta", 0.5F);
    case Op::kClip:
      return clip_attributes(rewriter, node);
    default:
      return std::nullopt;
  }
}

void set_attributes(Node& node, const Attributes& more) {
  for (const auto& [name, value] : more.entries()) node.attributes.set(name, value);
}

graph::Graph fuse_activation(graph::Graph graph) {
  return rewrite(std::move(graph), fuse_activation_node);
}

}  // namespace weft::passes
