// Operators with NumPy's broadcasting. The gradient of an operand is summed over the axes along
// which the operand was broadcast.
#include "compiler/autodiff/rules.h"

namespace weft::autodiff {
namespace {

void give_reduced(NodeGradient& g, std::size_t i, ValueId gradient) {
  g.give(i, g.reduce_to(gradient, g.shape(g.input(i))));
}

/// X^(Y-1), without a Pow node if the exponent Y is known to be 1 or 2.
ValueId one_power_less(NodeGradient& g) {
  const ValueId x = g.input(0);
  const std::optional<double> exponent = g.known_number(1);
  if (exponent == 1.0) return g.number(x, 1);
  if (exponent == 2.0) return x;
  const ValueId y = g.cast_like(g.input(1), x);
  return g.add(Op::kPow, {x, g.add(Op::kSub, {y, g.number(x, 1)})});
}

void add_gradient(NodeGradient& g) {
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    if (g.needs(i)) give_reduced(g, i, g.dy());
  }
}

void mean_gradient(NodeGradient& g) {
  const ValueId part = g.divided(g.dy(), static_cast<double>(g.node().inputs.size()));
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    if (g.needs(i)) give_reduced(g, i, part);
  }
}

void sub_gradient(NodeGradient& g) {
  if (g.needs(0)) give_reduced(g, 0, g.dy());
  if (g.needs(1)) give_reduced(g, 1, g.add(Op::kNeg, {g.dy()}));
}

void mul_gradient(NodeGradient& g) {
  if (g.needs(0)) give_reduced(g, 0, g.mul(g.dy(), g.input(1)));
  if (g.needs(1)) give_reduced(g, 1, g.mul(g.dy(), g.input(0)));
}

// d(a/b) = da / b - y db / b
void div_gradient(NodeGradient& g) {
  const ValueId part = g.add(Op::kDiv, {g.dy(), g.input(1)});
  if (g.needs(0)) give_reduced(g, 0, part);
  if (g.needs(1)) give_reduced(g, 1, g.add(Op::kNeg, {g.mul(part, g.output())}));
}

// For x^y, the derivative is y x^(y-1) by the base and x^y log(x) by the exponent. For a base of 0
// or less, the rule sets the derivative by the exponent to 0.
void pow_gradient(NodeGradient& g) {
  const ValueId x = g.input(0);
  if (g.needs(0)) {
    const ValueId slope = g.mul(g.cast_like(g.input(1), x), one_power_less(g));
    give_reduced(g, 0, g.mul(g.dy(), slope));
  }
  if (!g.needs(1)) return;
  const ValueId slope = g.mul(g.output(), g.add(Op::kLog, {x}));
  const ValueId part = g.where(g.greater(x, 0), g.mul(g.dy(), slope), g.number(x, 0));
  give_reduced(g, 1, g.cast_like(part, g.input(1)));
}

// x mod z = x - q z, with an integer q that is constant between the steps.
void mod_gradient(NodeGradient& g) {
  if (g.needs(0)) give_reduced(g, 0, g.dy());
  if (!g.needs(1)) return;
  const ValueId multiple = g.add(Op::kSub, {g.input(0), g.output()});
  const ValueId q = g.add(Op::kRound, {g.add(Op::kDiv, {multiple, g.input(1)})});
  give_reduced(g, 1, g.add(Op::kNeg, {g.mul(g.dy(), q)}));
}

// At each position, the first operand that equals the extreme gets the whole gradient.
void extreme_gradient(NodeGradient& g) {
  const std::size_t count = g.node().inputs.size();
  const ValueId zero = g.number(g.dy(), 0);
  ValueId left = g.dy();
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId is_first = g.add(Op::kEqual, {g.input(i), g.output()});
    if (g.needs(i)) give_reduced(g, i, g.where(is_first, left, zero));
    if (i + 1 < count) left = g.where(is_first, zero, left);
  }
}

void where_gradient(NodeGradient& g) {
  const ValueId zero = g.number(g.dy(), 0);
  if (g.needs(1)) give_reduced(g, 1, g.where(g.input(0), g.dy(), zero));
  if (g.needs(2)) give_reduced(g, 2, g.where(g.input(0), zero, g.dy()));
}

}  // namespace

Rules broadcast_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kAdd, add_gradient},
      {Op::kSub, sub_gradient},
      {Op::kMul, mul_gradient},
      {Op::kDiv, div_gradient},
      {Op::kPow, pow_gradient},
      {Op::kMod, mod_gradient},
      {Op::kMin, extreme_gradient},
      {Op::kMax, extreme_gradient},
      {Op::kMean, mean_gradient},
      {Op::kSum, add_gradient},
      {Op::kWhere, where_gradient},
      RuleEntry::none(Op::kEqual, "its result is a truth value"),
      RuleEntry::none(Op::kLess, "its result is a truth value"),
      RuleEntry::none(Op::kGreater, "its result is a truth value"),
      RuleEntry::none(Op::kAnd, "its result is a truth value"),
      RuleEntry::none(Op::kOr, "its result is a truth value"),
      RuleEntry::none(Op::kXor, "its result is a truth value"),
  });
  return kRules;
}

}  // namespace weft::autodiff
