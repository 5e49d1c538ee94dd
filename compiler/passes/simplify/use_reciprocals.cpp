#include "compiler/passes/simplify/use_reciprocals.h"

#include <utility>

#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {
namespace {

using graph::Node;
using graph::Op;

bool is_one(const Rewriter& rewriter, graph::ValueId value) {
  const graph::Tensor* const tensor = rewriter.ready(value);
  return tensor != nullptr && tensor->size() == 1 && graph::is_float(tensor->type()) &&
         real_values(*tensor).front() == 1;
}

bool use_reciprocal(Rewriter& rewriter, const Node& node) {
  if (node.op != Op::kDiv || !is_one(rewriter, node.inputs[0])) return false;
  const graph::ValueId divisor = node.inputs[1];
  if (rewriter.type(divisor) != rewriter.type(node.outputs[0])) return false;
  Node reciprocal = node;
  reciprocal.op = Op::kReciprocal;
  reciprocal.inputs = {divisor};
  rewriter.emit(std::move(reciprocal));
  return true;
}

}  // namespace

graph::Graph use_reciprocals(graph::Graph graph) {
  return rewrite(std::move(graph), use_reciprocal);
}

}  // namespace weft::passes
