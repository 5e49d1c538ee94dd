// The operators, named as in ONNX (opset 17). Their table is operators.inc; operator_table.h gives
// access to it.
//
// The fusing passes extend ONNX's definitions in four ways; every later stage handles them:
//  - MatMul may have a bias as third input: [N], added to the product.
//  - Conv, Gemm and MatMul may have a fourth input, the residual. It has the output's shape and is
//    added after the bias.
//  - QLinearMatMul may have a bias as ninth input, like QLinearConv: [N] int32, of scale
//    a_scale * b_scale and zero point 0, added to the sums modulo 2^32.
//  - Conv, Gemm, MatMul, QLinearConv and QLinearMatMul may have the attribute "activation": the
//    name of a unary operator (Relu, Clip, LeakyRelu, Sigmoid, ...) that is applied last. The
//    operator's parameters are in "activation_alpha" and "activation_beta" (Clip: min and max). The
//    QLinear forms allow only Relu and Clip, on real numbers, before the rounding.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::graph {

/// In the order of the rows in operators.inc.
enum class Op : std::uint8_t {
#define WEFT_OPERATOR(op, ...) op,
#include "compiler/graph/operators.inc"
#undef WEFT_OPERATOR
};

inline constexpr std::array kOpNames = std::to_array<std::string_view>({
#define WEFT_OPERATOR(op, name, ...) name,
#include "compiler/graph/operators.inc"
#undef WEFT_OPERATOR
});

inline constexpr std::size_t kOpCount = kOpNames.size();

constexpr std::string_view to_string(Op op) {
  return kOpNames[static_cast<std::size_t>(op)];
}

/// The inverse of to_string(). Returns nullopt for an unknown name.
constexpr std::optional<Op> op_from_string(std::string_view name) {
  for (std::size_t i = 0; i < kOpCount; ++i) {
    if (kOpNames[i] == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

}  // namespace weft::graph
