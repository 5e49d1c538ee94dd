// Bodies of element-wise operators. Additions, multiplications, divisions and square roots are
// single float32 operations (nvcc: -fmad=false and its correctly rounded division and root), so
// their results equal the CPU's bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "models/reference/cpu/nn/scalar_functions.h"
#include "models/reference/cuda/bodies/narrow.h"
#include "models/reference/cuda/bodies/strided.h"

namespace weft::cuda {

using reference::ActivationFunction;
using reference::ActivationKind;

/// function(x).
WEFT_HOST_DEVICE inline float activated(const ActivationFunction& function, float x) {
  return reference::activated(function.kind, x, function.alpha, function.beta);
}

/// y[i] = function(x[i]).
struct Unary {
  ActivationFunction function;
  const float* x;
  float* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = activated(function, x[i]); }
};

enum class BinaryFunction : std::uint8_t { kAdd, kSub, kMul, kDiv, kMod, kMin, kMax, kPow, kPRelu };

/// kMin and kMax: if an operand is a NaN, the result is that NaN; of two zeros, it is the first.
WEFT_HOST_DEVICE inline float combined(BinaryFunction function, float a, float b) {
  switch (function) {
    case BinaryFunction::kAdd:
      return a + b;
    case BinaryFunction::kSub:
      return a - b;
    case BinaryFunction::kMul:
      return a * b;
    case BinaryFunction::kDiv:
      return a / b;
    case BinaryFunction::kMod:
      // A remainder is exact. CUDA's function for binary32 uses approximate divisions on its way.
      return static_cast<float>(std::fmod(static_cast<double>(a), static_cast<double>(b)));
    case BinaryFunction::kMin:
      return b < a || b != b ? b : a;
    case BinaryFunction::kMax:
      return b > a || b != b ? b : a;
    case BinaryFunction::kPow:
      return b == 2.0F ? a * a : reference::pow(a, b);
    case BinaryFunction::kPRelu:
      return a < 0.0F ? a * b : a;
  }
  return a;
}

/// y[i] = function(a, b) with broadcasting.
struct Binary {
  BinaryFunction function;
  const float* a;
  const float* b;
  float* y;
  Strided<2> walk;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<2> at = walk.at(i);
    y[i] = combined(function, a[at[0]], b[at[1]]);
  }
};

enum class Relation : std::uint8_t { kEqual, kLess, kGreater };

/// y[i] = whether the relation holds between a and b, with broadcasting.
template <class T>
struct Compare {
  Relation relation;
  const T* a;
  const T* b;
  bool* y;
  Strided<2> walk;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<2> at = walk.at(i);
    const T left = a[at[0]];
    const T right = b[at[1]];
    y[i] = relation == Relation::kEqual  ? left == right
           : relation == Relation::kLess ? left < right
                                         : left > right;
  }
};

enum class LogicFunction : std::uint8_t { kAnd, kOr, kXor };

/// y[i] = function(a, b) with broadcasting.
struct Logic {
  LogicFunction function;
  const bool* a;
  const bool* b;
  bool* y;
  Strided<2> walk;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<2> at = walk.at(i);
    const bool left = a[at[0]];
    const bool right = b[at[1]];
    y[i] = function == LogicFunction::kAnd  ? left && right
           : function == LogicFunction::kOr ? left || right
                                            : left != right;
  }
};

struct Not {
  const bool* x;
  bool* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = !x[i]; }
};

/// y[i] = whether x[i] is one of the special values asked for.
struct Classify {
  bool nan;
  bool negative;  // -infinity
  bool positive;  // +infinity
  const float* x;
  bool* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    constexpr float kLargest = std::numeric_limits<float>::max();
    const float value = x[i];
    y[i] = (nan && value != value) || (negative && value < -kLargest) ||
           (positive && value > kLargest);
  }
};

/// y[i] = a where the condition holds, else b, with broadcasting. Unit: an unsigned integer of the
/// elements' size.
template <class Unit>
struct Where {
  const bool* condition;
  const Unit* a;
  const Unit* b;
  Unit* y;
  Strided<3> walk;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<3> at = walk.at(i);
    y[i] = condition[at[0]] ? a[at[1]] : b[at[2]];
  }
};

/// y[i] = x[i] in another type; to bool: whether it is not zero.
template <class To, class From>
struct Convert {
  const From* x;
  To* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    if constexpr (std::is_same_v<To, bool>) {
      y[i] = x[i] != From{};
    } else {
      y[i] = static_cast<To>(x[i]);
    }
  }
};

enum class Narrowing : std::uint8_t { kBf16, kFp16 };

/// y[i] = the bits of x[i] rounded to a 16-bit format.
struct Narrow {
  Narrowing format;
  const float* x;
  std::uint16_t* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    y[i] = format == Narrowing::kBf16 ? bf16_bits(x[i]) : fp16_bits(x[i]);
  }
};

/// The steps after a contraction, each rounded: y = activation(alpha * y + beta * c + residual).
/// Element i reads `c` by its row and column in a matrix of `inner` columns:
///   c[(i / inner) % rows * row_stride + i % inner * col_stride]
struct ContractionEpilogue {
  float* y;
  float alpha;
  const float* c;  // or null
  float beta;
  std::int64_t inner;
  std::int64_t rows;
  std::int64_t row_stride;
  std::int64_t col_stride;
  const float* residual;  // or null
  ActivationFunction activation;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    float value = y[i];
    if (alpha != 1.0F) value *= alpha;
    if (c != nullptr) {
      const float term = c[i / inner % rows * row_stride + i % inner * col_stride];
      value += beta == 1.0F ? term : beta * term;
    }
    if (residual != nullptr) value += residual[i];
    y[i] = activated(activation, value);
  }
};

}  // namespace weft::cuda
