#include "compiler/passes/fusion/fuse_bias.h"

#include <optional>
#include <utility>

#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::ValueId;
using graph::ValueType;

namespace {

/// True if `node`, which makes `product`, can take a bias for the sum.
bool takes_bias(const Rewriter& rewriter, const Node* node, ValueId product, const ValueType& sum) {
  if (node == nullptr || !is_contraction(node->op) || !rewriter.used_once(product)) return false;
  // If MatMul's second operand is a vector, the product has no channel axis.
  const bool has_channels = rewriter.type(node->inputs[kWeights]).shape.size() >= 2;
  return has_channels && node->input(kBias) == kNoValue && ends_with_bias(*node) &&
         rewriter.type(product) == sum;
}

/// `addend` as a value of shape [channels], if necessary a new constant; kNoValue if it is no bias.
ValueId as_bias(Rewriter& rewriter, ValueId addend, const ValueType& sum, std::int64_t axis) {
  const Shape channels = {sum.shape[static_cast<std::size_t>(axis)]};
  const bool last = axis + 1 == static_cast<std::int64_t>(sum.shape.size());
  if (last && rewriter.type(addend) == ValueType{sum.type, channels} &&
      (rewriter.constant(addend) != nullptr || is_dequantized_constant(rewriter, addend))) {
    return addend;
  }
  if (rewriter.constant(addend) == nullptr) return kNoValue;
  const auto bias = per_channel(*rewriter.constant(addend), sum, axis);
  return bias ? rewriter.add_constant(*bias, rewriter.name(addend)) : kNoValue;
}

bool fuse_as_bias(Rewriter& rewriter, const Node& add, ValueId product, ValueId addend) {
  const ValueType sum = rewriter.type(add.outputs[0]);
  const Node* maker = rewriter.producer(product);
  if (!takes_bias(rewriter, maker, product, sum)) return false;
  const auto rank = static_cast<std::int64_t>(sum.shape.size());
  const std::int64_t axis = channel_axis(maker->op, rank);
  const ValueId bias = as_bias(rewriter, addend, sum, axis);
  if (bias == kNoValue) return false;
  Node fused = rewriter.take(product);
  fused.attributes.erase("beta");  // a Gemm's factor for the missing C must not scale the bias
  set_input(fused, kBias, bias);
  fused.outputs = add.outputs;
  rewriter.emit(std::move(fused));
  return true;
}

}  // namespace

graph::Graph fuse_bias(graph::Graph graph) {
  return rewrite(std::move(graph), [](Rewriter& rewriter, const Node& node) {
    if (node.op != Op::kAdd) return false;
    return fuse_as_bias(rewriter, node, node.inputs[0], node.inputs[1]) ||
           fuse_as_bias(rewriter, node, node.inputs[1], node.inputs[0]);
  });
}

}  // namespace weft::passes
