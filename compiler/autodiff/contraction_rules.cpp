// Matrix products. For Y = A B: dA = dY B^T, dB = A^T dY.
#include "compiler/autodiff/rules.h"

namespace weft::autodiff {
namespace {

/// MatMul also accepts vectors: as_left() and as_right() make such an operand a matrix.
ValueId as_left(NodeGradient& g, ValueId a) {
  return g.rank(a) == 1 ? g.reshape(a, {1, g.shape(a)[0]}) : a;
}
ValueId as_right(NodeGradient& g, ValueId b) {
  return g.rank(b) == 1 ? g.reshape(b, {g.shape(b)[0], 1}) : b;
}

/// A stack of matrices as one tall matrix, for products in which all share one right operand.
ValueId flattened(NodeGradient& g, ValueId stack) {
  const std::int64_t width = g.shape(stack).back();
  return g.reshape(stack, {graph::element_count(g.shape(stack)) / (width == 0 ? 1 : width), width});
}

/// The gradient of the product in the shape of as_left(a) times as_right(b).
ValueId product_gradient(NodeGradient& g) {
  Shape shape = g.shape(g.dy());
  if (g.rank(g.input(1)) == 1) shape.push_back(1);
  if (g.rank(g.input(0)) == 1) shape.insert(shape.end() - 1, 1);
  return g.reshape(g.dy(), shape);
}

ValueId right_gradient(NodeGradient& g, ValueId a, ValueId b, ValueId dy) {
  if (g.rank(b) == 2 && g.rank(dy) > 2) {
    return g.add(Op::kMatMul, {g.swapped(flattened(g, a)), flattened(g, dy)});
  }
  return g.reduce_to(g.add(Op::kMatMul, {g.swapped(a), dy}), g.shape(b));
}

void matmul_gradient(NodeGradient& g) {
  g.expect_unfused(2);
  const ValueId a = as_left(g, g.input(0));
  const ValueId b = as_right(g, g.input(1));
  const ValueId dy = product_gradient(g);
  if (g.needs(0)) {
    const ValueId da = g.reduce_to(g.add(Op::kMatMul, {dy, g.swapped(b)}), g.shape(a));
    g.give(0, g.reshape(da, g.shape(g.input(0))));
  }
  if (g.needs(1)) g.give(1, g.reshape(right_gradient(g, a, b, dy), g.shape(g.input(1))));
}

// Y = alpha A' B' + beta C, in which A' is A or its transpose, and B' likewise. The gradient of a
// transposed operand is the transposed product: its transposed factors in reverse order.
void gemm_gradient(NodeGradient& g) {
  g.expect_unfused(3);
  const bool turned_a = g.attributes().integer("transA", 0) != 0;
  const bool turned_b = g.attributes().integer("transB", 0) != 0;
  const auto product = [&](ValueId left, ValueId right) {
    return g.scaled(g.add(Op::kMatMul, {left, right}), double{g.attributes().real("alpha", 1)});
  };
  const ValueId dy = g.dy();
  if (g.needs(0)) {
    const ValueId b = turned_b ? g.input(1) : g.swapped(g.input(1));
    g.give(0, turned_a ? product(g.swapped(b), g.swapped(dy)) : product(dy, b));
  }
  if (g.needs(1)) {
    const ValueId a = turned_a ? g.input(0) : g.swapped(g.input(0));
    g.give(1, turned_b ? product(g.swapped(dy), g.swapped(a)) : product(a, dy));
  }
  if (g.needs(2)) {
    const double beta = double{g.attributes().real("beta", 1)};
    g.give(2, g.scaled(g.reduce_to(dy, g.shape(g.input(2))), beta));
  }
}

}  // namespace

Rules contraction_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kMatMul, matmul_gradient},
      {Op::kGemm, gemm_gradient},
      RuleEntry::none(Op::kMatMulInteger, "it rounds or computes with integers"),
      RuleEntry::none(Op::kQLinearMatMul, "it rounds or computes with integers"),
      RuleEntry::none(Op::kQuantizeLinear, "it rounds or computes with integers"),
      RuleEntry::none(Op::kDequantizeLinear, "its operand holds integers"),
      RuleEntry::none(Op::kDynamicQuantizeLinear, "it rounds or computes with integers"),
      RuleEntry::none(Op::kLstm, "training takes networks with unrolled recurrences"),
      RuleEntry::none(Op::kGru, "as for LSTM"),
      RuleEntry::none(Op::kRnn, "as for LSTM"),
  });
  return kRules;
}

}  // namespace weft::autodiff
