#include "compiler/passes/fusion/fuse_residual.h"

#include <utility>

#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::Node;
using graph::Op;
using graph::ValueId;

namespace {

/// A constant becomes a residual only if the weights are constant too. With computed weights, the
/// Add can stay a separate instruction.
bool is_residual(const Rewriter& rewriter, const Node& product, ValueId other) {
  return rewriter.constant(other) == nullptr ||
         rewriter.constant(product.inputs[kWeights]) != nullptr;
}

bool takes_residual(const Rewriter& rewriter, ValueId product, ValueId other) {
  const Node* node = rewriter.producer(product);
  return node != nullptr && takes_epilogue(node->op) && rewriter.used_once(product) &&
         ends_with_bias(*node) && is_residual(rewriter, *node, other) &&
         rewriter.type(product) == rewriter.type(other);
}

bool fuse_as_residual(Rewriter& rewriter, const Node& add, ValueId product, ValueId other) {
  if (!takes_residual(rewriter, product, other)) return false;
  Node fused = rewriter.take(product);
  set_input(fused, kResidual, other);
  fused.outputs = add.outputs;
  rewriter.emit(std::move(fused));
  return true;
}

/// Inputs and constants count as earliest: their position, kNoProducer, plus 1 wraps to 0.
bool is_later(const Rewriter& rewriter, ValueId a, ValueId b) {
  return rewriter.position(a) + 1 > rewriter.position(b) + 1;
}

}  // namespace

graph::Graph fuse_residual(graph::Graph graph) {
  return rewrite(std::move(graph), [](Rewriter& rewriter, const Node& node) {
    if (node.op != Op::kAdd) return false;
    const bool swapped = is_later(rewriter, node.inputs[1], node.inputs[0]);
    const ValueId later = node.inputs[swapped ? 1 : 0];
    const ValueId earlier = node.inputs[swapped ? 0 : 1];
    return fuse_as_residual(rewriter, node, later, earlier) ||
           fuse_as_residual(rewriter, node, earlier, later);
  });
}

}  // namespace weft::passes
