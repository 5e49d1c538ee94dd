// The operators, named as in ONNX (opset 17). operator_table.h lists their inputs and outputs.
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

// clang-format off
enum class Op : std::uint8_t {
  // Contractions
  kConv, kConvTranspose, kConvInteger, kQLinearConv, kMatMul, kGemm, kMatMulInteger, kQLinearMatMul,
  // Quantization
  kQuantizeLinear, kDequantizeLinear, kDynamicQuantizeLinear,
  // Unary
  kRelu, kLeakyRelu, kPRelu, kElu, kSelu, kSigmoid, kHardSigmoid, kHardSwish, kTanh, kErf, kSoftplus,
  kClip, kSqrt, kExp, kLog, kNeg, kAbs, kReciprocal, kNot, kIdentity, kCast, kDropout,
  // Binary and n-ary, with broadcasting
  kAdd, kSub, kMul, kDiv, kPow, kMin, kMax, kMean, kSum, kWhere, kEqual, kLess, kGreater, kAnd, kOr,
  // Along axes
  kSoftmax, kLogSoftmax, kReduceMean, kReduceSum, kReduceMax, kReduceMin, kArgMax,
  // Windows and normalization
  kMaxPool, kAveragePool, kGlobalAveragePool, kGlobalMaxPool, kBatchNormalization,
  kInstanceNormalization, kLayerNormalization, kLrn,
  // Movement
  kConcat, kSplit, kSlice, kGather, kReshape, kFlatten, kTranspose, kSqueeze, kUnsqueeze, kShape,
  kConstantOfShape, kExpand, kTile, kPad, kResize, kRange,
  // Recurrent
  kLstm, kGru, kRnn,
};

inline constexpr std::array kOpNames = std::to_array<std::string_view>({
  "Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "MatMul", "Gemm", "MatMulInteger",
  "QLinearMatMul",
  "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear",
  "Relu", "LeakyRelu", "PRelu", "Elu", "Selu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Erf",
  "Softplus", "Clip", "Sqrt", "Exp", "Log", "Neg", "Abs", "Reciprocal", "Not", "Identity", "Cast",
  "Dropout",
  "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Mean", "Sum", "Where", "Equal", "Less", "Greater",
  "And", "Or",
  "Softmax", "LogSoftmax", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ArgMax",
  "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "BatchNormalization",
  "InstanceNormalization", "LayerNormalization", "LRN",
  "Concat", "Split", "Slice", "Gather", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze",
  "Shape", "ConstantOfShape", "Expand", "Tile", "Pad", "Resize", "Range",
  "LSTM", "GRU", "RNN",
});
// clang-format on

inline constexpr std::size_t kOpCount = kOpNames.size();
static_assert(kOpCount == static_cast<std::size_t>(Op::kRnn) + 1);

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
