// Unary operators. A rule computes the derivative from the result where it can. The operand then
// need not stay in memory and may be fused away. At a kink, the derivative is 0 if one side is flat
// (Relu at 0, Clip at its bounds) and for Abs at 0. Otherwise it is the derivative on the left, or
// on the right for HardSwish at 3.
#include <cmath>
#include <numbers>

#include "compiler/autodiff/rules.h"

namespace weft::autodiff {
namespace {

using graph::kNoValue;

ValueId zero(NodeGradient& g) {
  return g.number(g.dy(), 0);
}

/// dy where y is strictly between `low` and `high`, else 0. kNoValue means no bound.
ValueId between(NodeGradient& g, ValueId y, ValueId low, ValueId high, ValueId dy) {
  if (high != kNoValue) dy = g.where(g.add(Op::kLess, {y, high}), dy, zero(g));
  if (low != kNoValue) dy = g.where(g.add(Op::kGreater, {y, low}), dy, zero(g));
  return dy;
}

/// Gives dy times `positive` where x > 0, else dy times `slope`.
void give_two_sided(NodeGradient& g, double positive, ValueId slope) {
  const ValueId right = g.scaled(g.dy(), positive);
  g.give(0, g.where(g.greater(g.input(0), 0), right, g.mul(g.dy(), slope)));
}

void relu_gradient(NodeGradient& g) {
  g.give(0, g.where(g.greater(g.output(), 0), g.dy(), zero(g)));
}

void leaky_relu_gradient(NodeGradient& g) {
  give_two_sided(g, 1, g.number(g.dy(), double{g.attributes().real("alpha", 0.01F)}));
}

void prelu_gradient(NodeGradient& g) {
  const ValueId is_positive = g.greater(g.input(0), 0);
  if (g.needs(0)) {
    g.give(0, g.where(is_positive, g.dy(), g.mul(g.dy(), g.input(1))));
  }
  if (!g.needs(1)) return;
  const ValueId part = g.where(is_positive, zero(g), g.mul(g.dy(), g.input(0)));
  g.give(1, g.reduce_to(part, g.shape(g.input(1))));
}

// For x <= 0, y = alpha (exp(x) - 1), so the derivative is y + alpha.
void elu_gradient(NodeGradient& g) {
  const double alpha = double{g.attributes().real("alpha", 1)};
  give_two_sided(g, 1, g.add(Op::kAdd, {g.output(), g.number(g.dy(), alpha)}));
}

void selu_gradient(NodeGradient& g) {
  const double alpha = double{g.attributes().real("alpha", 1.67326319217681884765625F)};
  const double gamma = double{g.attributes().real("gamma", 1.05070102214813232421875F)};
  give_two_sided(g, gamma, g.add(Op::kAdd, {g.output(), g.number(g.dy(), alpha * gamma)}));
}

void sigmoid_gradient(NodeGradient& g) {
  const ValueId rest = g.add(Op::kSub, {g.number(g.dy(), 1), g.output()});
  g.give(0, g.mul(g.dy(), g.mul(g.output(), rest)));
}

void hard_sigmoid_gradient(NodeGradient& g) {
  const double alpha = double{g.attributes().real("alpha", 0.2F)};
  const ValueId dy = g.scaled(g.dy(), alpha);
  g.give(0, between(g, g.output(), zero(g), g.number(dy, 1), dy));
}

// Between -3 and 3, y = x (x + 3) / 6, so the derivative is x/3 + 1/2.
void hard_swish_gradient(NodeGradient& g) {
  const ValueId x = g.input(0);
  const ValueId slope = g.add(Op::kAdd, {g.divided(x, 3), g.number(x, 0.5)});
  const ValueId inner = g.where(g.greater(x, -3), g.mul(g.dy(), slope), zero(g));
  g.give(0, g.where(g.less(x, 3), inner, g.dy()));
}

void tanh_gradient(NodeGradient& g) {
  const ValueId square = g.mul(g.output(), g.output());
  g.give(0, g.mul(g.dy(), g.add(Op::kSub, {g.number(g.dy(), 1), square})));
}

// The derivative is 2 / sqrt(pi) exp(-x^2).
void erf_gradient(NodeGradient& g) {
  const ValueId x = g.input(0);
  const ValueId bell = g.add(Op::kExp, {g.add(Op::kNeg, {g.mul(x, x)})});
  g.give(0, g.scaled(g.mul(g.dy(), bell), 2 * std::numbers::inv_sqrtpi));
}

void softplus_gradient(NodeGradient& g) {
  g.give(0, g.mul(g.dy(), g.add(Op::kSigmoid, {g.input(0)})));
}

void clip_gradient(NodeGradient& g) {
  if (g.needs(1) || g.needs(2)) g.refuse("the bounds cannot be learned; make them constants");
  const ValueId low = g.input(1);
  const ValueId high = g.input(2);
  const auto scalar = [&](ValueId bound) {
    return bound == kNoValue ? bound : g.reshape(bound, {});
  };
  g.give(0, between(g, g.output(), scalar(low), scalar(high), g.dy()));
}

void sqrt_gradient(NodeGradient& g) {
  g.give(0, g.add(Op::kDiv, {g.scaled(g.dy(), 0.5), g.output()}));
}

void exp_gradient(NodeGradient& g) {
  g.give(0, g.mul(g.dy(), g.output()));
}

void log_gradient(NodeGradient& g) {
  g.give(0, g.add(Op::kDiv, {g.dy(), g.input(0)}));
}

void neg_gradient(NodeGradient& g) {
  g.give(0, g.add(Op::kNeg, {g.dy()}));
}

void abs_gradient(NodeGradient& g) {
  const ValueId x = g.input(0);
  const ValueId left = g.where(g.less(x, 0), g.add(Op::kNeg, {g.dy()}), zero(g));
  g.give(0, g.where(g.greater(x, 0), g.dy(), left));
}

void reciprocal_gradient(NodeGradient& g) {
  g.give(0, g.add(Op::kNeg, {g.mul(g.dy(), g.mul(g.output(), g.output()))}));
}

void sin_gradient(NodeGradient& g) {
  g.give(0, g.mul(g.dy(), g.add(Op::kCos, {g.input(0)})));
}

void cos_gradient(NodeGradient& g) {
  g.give(0, g.add(Op::kNeg, {g.mul(g.dy(), g.add(Op::kSin, {g.input(0)}))}));
}

/// For functions that are constant between their steps.
void step_gradient(NodeGradient& g) {
  g.give(0, g.zeros({g.type(g.dy()), g.shape(g.dy())}));
}

void identity_gradient(NodeGradient& g) {
  g.give(0, g.dy());
}

void cast_gradient(NodeGradient& g) {
  g.give(0, g.cast_like(g.dy(), g.input(0)));
}

}  // namespace

Rules elementwise_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kRelu, relu_gradient},
      {Op::kLeakyRelu, leaky_relu_gradient},
      {Op::kPRelu, prelu_gradient},
      {Op::kElu, elu_gradient},
      {Op::kSelu, selu_gradient},
      {Op::kSigmoid, sigmoid_gradient},
      {Op::kHardSigmoid, hard_sigmoid_gradient},
      {Op::kHardSwish, hard_swish_gradient},
      {Op::kTanh, tanh_gradient},
      {Op::kErf, erf_gradient},
      {Op::kSoftplus, softplus_gradient},
      {Op::kClip, clip_gradient},
      {Op::kSqrt, sqrt_gradient},
      {Op::kExp, exp_gradient},
      {Op::kLog, log_gradient},
      {Op::kNeg, neg_gradient},
      {Op::kAbs, abs_gradient},
      {Op::kReciprocal, reciprocal_gradient},
      {Op::kSin, sin_gradient},
      {Op::kCos, cos_gradient},
      {Op::kRound, step_gradient},
      {Op::kFloor, step_gradient},
      {Op::kCeil, step_gradient},
      {Op::kSign, step_gradient},
      RuleEntry::none(Op::kIsNan, "its result is a truth value"),
      RuleEntry::none(Op::kIsInf, "its result is a truth value"),
      RuleEntry::none(Op::kNot, "its result is a truth value"),
      {Op::kIdentity, identity_gradient},
      {Op::kDropout, identity_gradient},
      {Op::kCast, cast_gradient},
  });
  return kRules;
}

}  // namespace weft::autodiff
