// The functions of one number, for operators, fused activations and recurrent cells: T is float or
// double. The CPU reference and the CUDA backend's kernels share them.
//
// Numerics: exp, log, sin, cos, tanh, erf, pow and functions built from them are evaluated in
// binary64 by the C math library and rounded once to T; additions, multiplications, divisions and
// square roots are single operations in T. Comparisons are written so that a NaN stays a NaN. expm1
// and log1p replace exp(x) - 1 and log(1 + x), which would cancel. Source: ONNX operator
// specification, opset 17.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "models/reference/host_device.h"

namespace weft::reference {

/// max(x, 0); both zeros give +0.
template <class T>
WEFT_HOST_DEVICE T relu(T x) {
  return x <= T{0} ? T{0} : x;
}

template <class T>
WEFT_HOST_DEVICE T leaky_relu(T x, T alpha) {
  return x < T{0} ? alpha * x : x;
}

/// `low` if x <= low, so that a zero gets its sign; then `high` if that exceeds `high`.
template <class T>
WEFT_HOST_DEVICE T clip(T x, T low, T high) {
  const T raised = x <= low ? low : x;
  return raised > high ? high : raised;
}

template <class T>
WEFT_HOST_DEVICE T elu(T x, T alpha) {
  if (!(x < T{0})) return x;
  return static_cast<T>(static_cast<double>(alpha) * std::expm1(static_cast<double>(x)));
}

/// gamma * x above 0, gamma * (alpha * exp(x) - alpha) below.
template <class T>
WEFT_HOST_DEVICE T selu(T x, T alpha, T gamma) {
  if (!(x <= T{0})) return gamma * x;
  const double curve = static_cast<double>(alpha) * std::expm1(static_cast<double>(x));
  return static_cast<T>(static_cast<double>(gamma) * curve);
}

template <class T>
WEFT_HOST_DEVICE T sigmoid(T x) {
  return static_cast<T>(1.0 / (1.0 + std::exp(-static_cast<double>(x))));
}

template <class T>
WEFT_HOST_DEVICE T hard_sigmoid(T x, T alpha, T beta) {
  return clip(alpha * x + beta, T{0}, T{1});
}

/// x * hard_sigmoid(x) with alpha = 1/6 and beta = 1/2.
template <class T>
WEFT_HOST_DEVICE T hard_swish(T x) {
  return x * hard_sigmoid(x, T{1} / T{6}, T{0.5});
}

template <class T>
WEFT_HOST_DEVICE T tanh(T x) {
  return static_cast<T>(std::tanh(static_cast<double>(x)));
}

template <class T>
WEFT_HOST_DEVICE T erf(T x) {
  return static_cast<T>(std::erf(static_cast<double>(x)));
}

/// log(exp(x) + 1), without overflow for large x.
template <class T>
WEFT_HOST_DEVICE T softplus(T x) {
  const double wide = static_cast<double>(x);
  return static_cast<T>((wide > 0 ? wide : 0.0) + std::log1p(std::exp(-std::abs(wide))));
}

template <class T>
WEFT_HOST_DEVICE T softsign(T x) {
  return x / (T{1} + std::abs(x));
}

template <class T>
WEFT_HOST_DEVICE T thresholded_relu(T x, T alpha) {
  return x <= alpha ? T{0} : x;
}

template <class T>
WEFT_HOST_DEVICE T exp(T x) {
  return static_cast<T>(std::exp(static_cast<double>(x)));
}

template <class T>
WEFT_HOST_DEVICE T log(T x) {
  return static_cast<T>(std::log(static_cast<double>(x)));
}

template <class T>
WEFT_HOST_DEVICE T pow(T x, T exponent) {
  return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(exponent)));
}

template <class T>
WEFT_HOST_DEVICE T sqrt(T x) {
  return std::sqrt(x);
}

template <class T>
WEFT_HOST_DEVICE T reciprocal(T x) {
  return T{1} / x;
}

template <class T>
WEFT_HOST_DEVICE T neg(T x) {
  return -x;
}

template <class T>
WEFT_HOST_DEVICE T abs(T x) {
  return std::abs(x);
}

template <class T>
WEFT_HOST_DEVICE T sin(T x) {
  return static_cast<T>(std::sin(static_cast<double>(x)));
}

template <class T>
WEFT_HOST_DEVICE T cos(T x) {
  return static_cast<T>(std::cos(static_cast<double>(x)));
}

/// The nearest integer; a half goes to the even one.
template <class T>
WEFT_HOST_DEVICE T round_to_even(T x) {
  return std::rint(x);
}

template <class T>
WEFT_HOST_DEVICE T floor(T x) {
  return std::floor(x);
}

template <class T>
WEFT_HOST_DEVICE T ceil(T x) {
  return std::ceil(x);
}

/// 1, 0 or -1; a NaN stays a NaN, both zeros give +0.
template <class T>
WEFT_HOST_DEVICE T sign(T x) {
  if (x > T{0}) return T{1};
  if (x == T{0}) return T{0};
  return x < T{0} ? static_cast<T>(T{0} - T{1}) : x;
}

/// A function with its parameters is plain data, so a kernel can take it.
enum class ActivationKind : std::uint8_t {
  kIdentity,
  kRelu,
  kLeakyRelu,
  kElu,
  kSelu,
  kSigmoid,
  kHardSigmoid,
  kHardSwish,
  kTanh,
  kErf,
  kSoftplus,
  kClip,
  kSqrt,
  kExp,
  kLog,
  kNeg,
  kAbs,
  kReciprocal,
  kSin,
  kCos,
  kRound,
  kFloor,
  kCeil,
  kSign,
  kAffine,           // alpha * x + beta
  kThresholdedRelu,  // x above alpha, else 0
  kScaledTanh,       // alpha * tanh(beta * x)
  kSoftsign,
};

/// ONNX's names, in the order of ActivationKind.
inline constexpr auto kActivationNames =
    std::to_array<std::string_view>({"Identity",    "Relu",
                                     "LeakyRelu",   "Elu",
                                     "Selu",        "Sigmoid",
                                     "HardSigmoid", "HardSwish",
                                     "Tanh",        "Erf",
                                     "Softplus",    "Clip",
                                     "Sqrt",        "Exp",
                                     "Log",         "Neg",
                                     "Abs",         "Reciprocal",
                                     "Sin",         "Cos",
                                     "Round",       "Floor",
                                     "Ceil",        "Sign",
                                     "Affine",      "ThresholdedRelu",
                                     "ScaledTanh",  "Softsign"});
static_assert(kActivationNames.size() == static_cast<std::size_t>(ActivationKind::kSoftsign) + 1);

/// Clip: alpha is the lower and beta the upper bound. Selu: beta is gamma.
struct ActivationFunction {
  ActivationKind kind = ActivationKind::kIdentity;
  float alpha = 0;
  float beta = 0;
};

/// function(x). Inlined, so that a constant `kind` leaves no choice in a loop.
template <class T>
WEFT_ALWAYS_INLINE WEFT_HOST_DEVICE T activated(ActivationKind kind, T x, T alpha, T beta) {
  // clang-format off
  switch (kind) {
    case ActivationKind::kIdentity: return x;
    case ActivationKind::kRelu: return relu(x);
    case ActivationKind::kLeakyRelu: return leaky_relu(x, alpha);
    case ActivationKind::kElu: return elu(x, alpha);
    case ActivationKind::kSelu: return selu(x, alpha, beta);
    case ActivationKind::kSigmoid: return sigmoid(x);
    case ActivationKind::kHardSigmoid: return hard_sigmoid(x, alpha, beta);
    case ActivationKind::kHardSwish: return hard_swish(x);
    case ActivationKind::kTanh: return reference::tanh(x);
    case ActivationKind::kErf: return reference::erf(x);
    case ActivationKind::kSoftplus: return softplus(x);
    case ActivationKind::kClip: return clip(x, alpha, beta);
    case ActivationKind::kSqrt: return reference::sqrt(x);
    case ActivationKind::kExp: return reference::exp(x);
    case ActivationKind::kLog: return reference::log(x);
    case ActivationKind::kNeg: return neg(x);
    case ActivationKind::kAbs: return reference::abs(x);
    case ActivationKind::kReciprocal: return reciprocal(x);
    case ActivationKind::kSin: return reference::sin(x);
    case ActivationKind::kCos: return reference::cos(x);
    case ActivationKind::kRound: return round_to_even(x);
    case ActivationKind::kFloor: return reference::floor(x);
    case ActivationKind::kCeil: return reference::ceil(x);
    case ActivationKind::kSign: return sign(x);
    case ActivationKind::kAffine: return alpha * x + beta;
    case ActivationKind::kThresholdedRelu: return thresholded_relu(x, alpha);
    case ActivationKind::kScaledTanh: return alpha * reference::tanh(beta * x);
    case ActivationKind::kSoftsign: return softsign(x);
  }
  // clang-format on
  return x;
}

}  // namespace weft::reference
