#include "compiler/passes/quantization/fuse_qdq.h"

#include <utility>

#include "compiler/passes/quantization/qdq_contraction.h"
#include "compiler/passes/quantization/qdq_movement.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::Node;
using graph::Op;

graph::Graph fuse_qdq(graph::Graph graph, ZeroPoints zero_points) {
  return rewrite(std::move(graph), [zero_points](Rewriter& rewriter, const Node& node) {
    if (node.op == Op::kQuantizeLinear) {
      return cancel_quantize(rewriter, node) || fuse_contraction(rewriter, node);
    }
    return relu_on_integers(rewriter, node, zero_points) || move_on_integers(rewriter, node);
  });
}

}  // namespace weft::passes
