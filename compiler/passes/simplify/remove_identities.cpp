#include "compiler/passes/simplify/remove_identities.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;

namespace {

bool drops_nothing(const Rewriter& rewriter, const Node& node) {
  if (node.input(2) == kNoValue) return true;
  const Tensor* training = rewriter.ready(node.input(2));
  return training != nullptr && !training->data<bool>()[0];
}

/// True if a Transpose keeps the order of the elements: only dimensions of extent 1 move.
bool keeps_order(const Rewriter& rewriter, const Node& node) {
  const graph::Shape& shape = rewriter.type(node.inputs[0]).shape;
  std::vector<std::int64_t> moved = node.attributes.integers("perm");
  if (moved.empty()) {
    for (std::size_t i = shape.size(); i > 0; --i) moved.push_back(static_cast<int>(i) - 1);
  }
  std::erase_if(moved, [&](std::int64_t i) { return shape[static_cast<std::size_t>(i)] == 1; });
  return std::ranges::is_sorted(moved);
}

bool steps_forwards(const Rewriter& rewriter, const Node& node) {
  if (node.input(4) == kNoValue) return true;
  const Tensor* steps = rewriter.ready(node.input(4));
  if (steps == nullptr) return false;
  return std::ranges::all_of(graph::to_int64(*steps), [](auto step) { return step > 0; });
}

/// True if the node's first output has the elements of its first input, given that their types and
/// shapes are equal.
bool keeps_elements(const Rewriter& rewriter, const Node& node) {
  switch (node.op) {
    case Op::kDropout:
      return drops_nothing(rewriter, node);
    case Op::kTranspose:
      return keeps_order(rewriter, node);
    case Op::kSlice:
      return steps_forwards(rewriter, node);
    case Op::kConcat:
      return node.inputs.size() == 1;
    default:
      return has(node.op, graph::Trait::kKeepsOrder);
  }
}

bool changes_nothing(const Rewriter& rewriter, const Node& node) {
  if (node.outputs[0] == kNoValue || node.input(0) == kNoValue) return false;
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (rewriter.used(node.outputs[i])) return false;
  }
  return rewriter.type(node.inputs[0]) == rewriter.type(node.outputs[0]) &&
         keeps_elements(rewriter, node);
}

std::vector<std::int64_t> permutation(const Rewriter& rewriter, const Node& transpose) {
  std::vector<std::int64_t> perm = transpose.attributes.integers("perm");
  const std::size_t rank = rewriter.type(transpose.outputs[0]).shape.size();
  for (std::size_t i = rank; perm.size() < rank; --i) perm.push_back(static_cast<int>(i) - 1);
  return perm;
}

/// Merges two Transposes in a row.
bool join_transpositions(Rewriter& rewriter, const Node& node) {
  if (node.op != Op::kTranspose) return false;
  const Node* before = rewriter.producer(node.inputs[0], Op::kTranspose);
  if (before == nullptr) return false;
  const std::vector<std::int64_t> first = permutation(rewriter, *before);
  Node joined = node;
  joined.inputs[0] = before->inputs[0];
  std::vector<std::int64_t> perm;
  for (const std::int64_t axis : permutation(rewriter, node)) {
    perm.push_back(first[static_cast<std::size_t>(axis)]);
  }
  joined.attributes.set("perm", perm);
  if (keeps_order(rewriter, joined) &&
      rewriter.type(joined.inputs[0]) == rewriter.type(node.outputs[0])) {
    rewriter.replace(node.outputs[0], joined.inputs[0]);
  } else {
    rewriter.emit(std::move(joined));
  }
  return true;
}

}  // namespace

graph::Graph remove_identities(graph::Graph graph) {
  return rewrite(std::move(graph), [](Rewriter& rewriter, const Node& node) {
    if (!changes_nothing(rewriter, node)) return join_transpositions(rewriter, node);
    rewriter.replace(node.outputs[0], node.inputs[0]);
    return true;
  });
}

}  // namespace weft::passes
