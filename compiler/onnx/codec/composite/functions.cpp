// Functions of elements, and comparisons.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/onnx/codec/composite/recipes.h"

namespace weft::onnx_io {

using graph::Op;
using graph::ValueId;

namespace {

/// The input. Throws InputError unless it is of floats.
ValueId float_input(const Assembly& node) {
  const ValueId x = node.input(0);
  if (graph::is_float(node.type(x))) return x;
  throw InputError(fmt::format("input 0: type {} is not one of float16, float32, float64",
                               graph::to_string(node.type(x))));
}

/// x * f, which every gating function ends with.
ValueId gated(Assembly& node, ValueId x, ValueId f) {
  return node.add(Op::kMul, {x, f});
}

/// x (1 + f) / 2.
ValueId half_gated(Assembly& node, ValueId x, ValueId f) {
  const ValueId one = node.number(1, node.type(x));
  const ValueId half = node.number(0.5, node.type(x));
  return node.add(Op::kMul, {gated(node, x, node.add(Op::kAdd, {f, one})), half});
}

/// tanh(sqrt(2 / pi) (x + 0.044715 x^3)), as x (a + b x^2).
ValueId gelu_tanh(Assembly& node, ValueId x) {
  const double a = std::sqrt(2 / std::numbers::pi);
  const ValueId square = node.add(Op::kMul, {x, x});
  const ValueId scaled = node.add(Op::kMul, {square, node.number(0.044715 * a, node.type(x))});
  const ValueId factor = node.add(Op::kAdd, {scaled, node.number(a, node.type(x))});
  return node.add(Op::kTanh, {node.add(Op::kMul, {factor, x})});
}

ValueId comparison_or_equal(Assembly& node, Op strict) {
  const ValueId a = node.input(0);
  const ValueId b = node.input(1);
  // The negation of the opposite comparison would be true for NaN.
  return node.add(Op::kOr, {node.add(strict, {a, b}), node.add(Op::kEqual, {a, b})});
}

}  // namespace

ValueId compose_gelu(Assembly& node) {
  const ValueId x = float_input(node);
  const std::string approximate = node.attributes().text("approximate", "none");
  if (approximate == "tanh") return half_gated(node, x, gelu_tanh(node, x));
  if (approximate != "none") {
    throw InputError(
        fmt::format("attribute approximate: {} is neither none nor tanh", printable(approximate)));
  }
  const ValueId scale = node.number(1 / std::numbers::sqrt2, node.type(x));
  return half_gated(node, x, node.add(Op::kErf, {node.add(Op::kMul, {x, scale})}));
}

ValueId compose_mish(Assembly& node) {
  const ValueId x = float_input(node);
  return gated(node, x, node.add(Op::kTanh, {node.add(Op::kSoftplus, {x})}));
}

ValueId compose_swish(Assembly& node) {
  const ValueId x = float_input(node);
  const float alpha = node.attributes().real("alpha", 1.0F);
  const ValueId alpha_x =
      alpha == 1.0F
          ? x
          : node.add(Op::kMul, {x, node.number(static_cast<double>(alpha), node.type(x))});
  return gated(node, x, node.add(Op::kSigmoid, {alpha_x}));
}

ValueId compose_thresholded_relu(Assembly& node) {
  const ValueId x = float_input(node);
  const auto alpha = static_cast<double>(node.attributes().real("alpha", 1.0F));
  const ValueId passes = node.add(Op::kGreater, {x, node.number(alpha, node.type(x))});
  return node.add(Op::kWhere, {passes, x, node.number(0, node.type(x))});
}

ValueId compose_softsign(Assembly& node) {
  const ValueId x = float_input(node);
  const ValueId one = node.number(1, node.type(x));
  return node.add(Op::kDiv, {x, node.add(Op::kAdd, {node.add(Op::kAbs, {x}), one})});
}

ValueId compose_shrink(Assembly& node) {
  const ValueId x = float_input(node);
  const graph::DataType type = node.type(x);
  const auto lambda = static_cast<double>(node.attributes().real("lambd", 0.5F));
  const ValueId bias = node.number(static_cast<double>(node.attributes().real("bias", 0.0F)), type);
  const ValueId is_low = node.add(Op::kLess, {x, node.number(-lambda, type)});
  const ValueId is_high = node.add(Op::kGreater, {x, node.number(lambda, type)});
  const ValueId down = node.add(Op::kSub, {x, bias});
  const ValueId high = node.add(Op::kWhere, {is_high, down, node.number(0, type)});
  return node.add(Op::kWhere, {is_low, node.add(Op::kAdd, {x, bias}), high});
}

ValueId compose_celu(Assembly& node) {
  const ValueId x = float_input(node);
  const auto alpha = static_cast<double>(node.attributes().real("alpha", 1.0F));
  if (!(alpha > 0)) {
    throw InputError(fmt::format("attribute alpha: must be above 0, not {}", alpha));
  }
  if (alpha == 1) return node.add(Op::kElu, {x});
  // alpha (exp(x / alpha) - 1) is alpha Elu(x / alpha) below 0. Above 0 x passes unchanged.
  const ValueId zero = node.number(0, node.type(x));
  const ValueId below = node.add(Op::kMin, {x, zero});
  const ValueId scaled = node.add(Op::kDiv, {below, node.number(alpha, node.type(x))});
  const ValueId curve =
      node.add(Op::kMul, {node.add(Op::kElu, {scaled}), node.number(alpha, node.type(x))});
  return node.add(Op::kAdd, {node.add(Op::kRelu, {x}), curve});
}

ValueId compose_less_or_equal(Assembly& node) {
  return comparison_or_equal(node, Op::kLess);
}

ValueId compose_greater_or_equal(Assembly& node) {
  return comparison_or_equal(node, Op::kGreater);
}

ValueId compose_cast_like(Assembly& node) {
  return node.cast(node.input(0), node.type(node.input(1)));
}

}  // namespace weft::onnx_io
