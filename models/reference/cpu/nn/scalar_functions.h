// The unary operators on one element: T is float or double.
//
// Numerics: exp, log, tanh, erf, pow and functions built from them are evaluated in binary64 by the
// C math library and rounded once to T; additions, multiplications, divisions and square roots are
// single operations in T. Comparisons are written so that a NaN stays a NaN. expm1 and log1p
// replace exp(x) - 1 and log(1 + x), which would cancel. Source: ONNX operator specification, opset
// 17.
#pragma once

#include <cmath>

#include "models/reference/host_device.h"

namespace weft::reference {

/// The ONNX defaults of alpha and beta (Selu: gamma), for operators that leave them out.
struct ActivationDefaults {
  float alpha = 0;
  float beta = 0;
};
inline constexpr ActivationDefaults kLeakyReluDefaults{0.01F, 0};
inline constexpr ActivationDefaults kEluDefaults{1.0F, 0};
inline constexpr ActivationDefaults kSeluDefaults{1.67326319217681884765625F,
                                                  1.05070102214813232421875F};
inline constexpr ActivationDefaults kHardSigmoidDefaults{0.2F, 0.5F};

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

}  // namespace weft::reference
