// Error bounds for the layers of a float machine: how far each element may lie from the same layer
// in real arithmetic. Operands have the values that the machine used (bf16 or fp16), so that only
// the layer's own roundings count. Derivations: docs/numerics.md, "Bounds of layers".
//
//   u    2^-24, the unit roundoff of binary32;   gamma(n) = n*u / (1 - n*u)
//   u_o  2^-8 (bf16) or 2^-11 (fp16) for a narrow result; 0 for a wide one
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "pe/element_type.h"

namespace weft::runtime {

/// A layer's result in float64, and the largest error allowed for each element.
struct BoundedResult {
  graph::Tensor expected;
  graph::Tensor bound;
  /// True for elements whose sums may leave binary32 on the way; the machine may have an infinity
  /// or NaN there. If a later step can turn such a value into a number, the bound is infinite.
  /// Empty: true for no element.
  std::vector<bool> beyond = {};
};

/// The node to bound; the layer gives its result.
struct BoundedNode {
  const graph::Graph& graph;
  const graph::Node& node;
  /// Returns an input of the node by position, in float64 with the elements that the machine used.
  std::function<graph::Tensor(std::size_t input)> operand;
  /// True for a value that the machine stores. It computes the others in passing.
  std::function<bool(graph::ValueId)> is_held;
  ElementType dtype;
  bool wide = false;
};

/// Returns the node's outputs in float64. `operands` has null for omitted inputs.
std::vector<graph::Tensor> evaluate_in_double(const graph::Graph& graph, const graph::Node& node,
                                              std::span<const graph::Tensor* const> operands,
                                              const graph::Attributes& attributes);

/// Throws InputError for an operator that no layer computes.
BoundedResult bounded_result(const BoundedNode& node);

}  // namespace weft::runtime
