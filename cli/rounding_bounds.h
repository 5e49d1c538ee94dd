// How far a layer of a float machine may lie from the same layer in real arithmetic, element by
// element. Operands are taken as the machine has them (bf16 or fp16), so that only the layer's own
// roundings count. Derivations: docs/numerics.md, "Bounds of layers".
//
//   u    2^-24, the unit roundoff of binary32;   gamma(n) = n*u / (1 - n*u)
//   u_o  2^-8 (bf16) or 2^-11 (fp16), of a narrow result; 0 of a wide one
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "pe/element_type.h"

namespace weft::cli {

/// A layer's result in float64, and for each element the largest error allowed.
struct BoundedResult {
  graph::Tensor expected;
  graph::Tensor bound;
  /// True for elements whose sums may leave binary32 on the way, so that the machine may have an
  /// infinity or NaN; where something follows that makes a number of these, the bound is infinite.
  /// Empty: none.
  std::vector<bool> beyond = {};
};

/// What is bounded: the node whose result the layer gives, in float64.
struct BoundedNode {
  const graph::Graph& graph;
  const graph::Node& node;
  /// An input of the node, by position, in float64 with the elements that the machine used.
  std::function<graph::Tensor(std::size_t input)> operand;
  /// True for a value that the machine holds; the others it computed in passing.
  std::function<bool(graph::ValueId)> is_held;
  ElementType dtype;
  bool wide = false;
};

/// The node's outputs in float64, from `operands`; null for those left out.
std::vector<graph::Tensor> evaluate_in_double(const graph::Graph& graph, const graph::Node& node,
                                              std::span<const graph::Tensor* const> operands,
                                              const graph::Attributes& attributes);

/// Throws InputError for an operator that no layer computes.
BoundedResult bounded_result(const BoundedNode& node);

}  // namespace weft::cli
