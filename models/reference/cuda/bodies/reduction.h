// Bodies of everything that sums: reductions, softmax, normalizations. Sums are accumulated in
// binary64 and rounded once, as on the CPU. A long sum is split into pieces, so that a device has
// enough parallel work. The pieces are then added in their order:
//
//   x   lane 0: |--- piece 0 ---|--- piece 1 ---|- piece 2 -|     Reduce: one thread per piece
//       lane 1: |--- piece 0 ---| ...                             Combine: one thread per lane
//
// With one piece, the order of the additions equals the CPU's.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "models/reference/cuda/bodies/strided.h"

namespace weft::cuda {

enum class ReduceKind : std::uint8_t {
  kSum,
  kProduct,
  kMax,
  kMin,
  kSumExp,      // of exp(x - shift)
  kSumSquares,  // of (x - shift)^2
};

WEFT_HOST_DEVICE inline double reduce_start(ReduceKind kind) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (kind == ReduceKind::kProduct) return 1.0;
  return kind == ReduceKind::kMax ? -kInfinity : kind == ReduceKind::kMin ? kInfinity : 0.0;
}

/// The term of element x. `shift` belongs to the element's lane.
WEFT_HOST_DEVICE inline double reduce_term(ReduceKind kind, double x, double shift) {
  if (kind == ReduceKind::kSumExp) return std::exp(x - shift);
  if (kind == ReduceKind::kSumSquares) return (x - shift) * (x - shift);
  return x;
}

/// For kMax and kMin, a NaN always wins.
WEFT_HOST_DEVICE inline double reduce_step(ReduceKind kind, double total, double term) {
  if (kind == ReduceKind::kMax) return term > total || term != term ? term : total;
  if (kind == ReduceKind::kMin) return term < total || term != term ? term : total;
  if (kind == ReduceKind::kProduct) return total * term;
  return total + term;
}

/// Computes partial [lanes, pieces]. A lane has `length` elements, a piece has `piece_length`.
struct Reduce {
  ReduceKind kind;
  const float* x;
  const double* shift;  // [lanes], or null: 0
  double* partial;
  std::int64_t length;
  std::int64_t pieces;
  std::int64_t piece_length;
  Strided<1> lanes;     // maps a lane's number to its first element
  Strided<1> elements;  // maps an element's number in its lane to its offset from the first
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t lane = i / pieces;
    const std::int64_t first = (i - lane * pieces) * piece_length;
    const std::int64_t end = first + piece_length < length ? first + piece_length : length;
    const float* from = x + lanes.at(lane)[0];
    const double own_shift = shift == nullptr ? 0.0 : shift[lane];
    double total = reduce_start(kind);
    for (std::int64_t k = first; k < end; ++k) {
      const auto element = static_cast<double>(from[elements.at(k)[0]]);
      total = reduce_step(kind, total, reduce_term(kind, element, own_shift));
    }
    partial[i] = total;
  }
};

/// total [lanes] = the combined pieces of each lane, divided by `divisor`.
struct Combine {
  ReduceKind kind;
  const double* partial;
  double* total;
  std::int64_t pieces;
  double divisor;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    double result = partial[i * pieces];
    for (std::int64_t k = 1; k < pieces; ++k) {
      result = reduce_step(kind, result, partial[i * pieces + k]);
    }
    total[i] = result / divisor;
  }
};

/// y[i] = x[i], rounded.
struct Round {
  const double* x;
  float* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = static_cast<float>(x[i]); }
};

/// inverse[i] = 1 / sqrt(variance[i] + epsilon).
struct InverseDeviation {
  const double* variance;
  double* inverse;
  double epsilon;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    inverse[i] = 1.0 / std::sqrt(variance[i] + epsilon);
  }
};

/// y[i] = x[i], exactly.
struct Widen {
  const float* x;
  double* y;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = static_cast<double>(x[i]); }
};

/// y = (x - mean) * inverse * scale + bias in binary64, rounded once. Element i uses statistics i /
/// stat_inner % stats and parameters i / param_inner % params.
struct Normalize {
  const float* x;
  const double* mean;
  const double* inverse;
  const float* scale;
  const float* bias;  // or null
  float* y;
  std::int64_t stat_inner;
  std::int64_t stats;
  std::int64_t param_inner;
  std::int64_t params;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t stat = i / stat_inner % stats;
    const std::int64_t param = i / param_inner % params;
    const double unit = (static_cast<double>(x[i]) - mean[stat]) * inverse[stat];
    const float offset = bias == nullptr ? 0.0F : bias[param];
    y[i] =
        static_cast<float>(unit * static_cast<double>(scale[param]) + static_cast<double>(offset));
  }
};

/// Softmax or its logarithm of x [outer, extent, inner] along the middle; shift and sum [outer,
/// inner] are the largest element and the sum of exp(x - shift).
struct Softmax {
  bool logarithm;
  const float* x;
  const double* shift;
  const double* sum;
  float* y;
  std::int64_t extent;
  std::int64_t inner;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t lane = i / (extent * inner) * inner + i % inner;
    const double above = static_cast<double>(x[i]) - shift[lane];
    y[i] =
        static_cast<float>(logarithm ? above - std::log(sum[lane]) : std::exp(above) / sum[lane]);
  }
};

/// The index of the largest element (or the smallest, if `least`) along the middle of x [outer,
/// extent, inner]. Among equal elements it is the first, or the last if `last`. A NaN comes before
/// every number.
struct ArgExtreme {
  const float* x;
  std::int64_t* y;
  std::int64_t extent;
  std::int64_t inner;
  bool least;
  bool last;
  WEFT_HOST_DEVICE bool better(float a, float b) const {
    return (least ? a < b : a > b) || (a != a && b == b);
  }
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const float* lane = x + i / inner * extent * inner + i % inner;
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < extent; ++k) {
      const float candidate = lane[k * inner];
      const float champion = lane[best * inner];
      if (last ? !better(champion, candidate) : better(candidate, champion)) best = k;
    }
    y[i] = best;
  }
};

/// Local response normalization of x [images, channels, plane]: x / (bias + alpha/size * sum of
/// squares over `size` channels around it)^beta, step by step in float32.
struct LocalResponse {
  const float* x;
  float* y;
  std::int64_t channels;
  std::int64_t plane;
  std::int64_t size;
  float factor;  // alpha / size
  float beta;
  float bias;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t channel = i / plane % channels;
    const std::int64_t begin = channel - (size - 1) / 2;
    const std::int64_t first = begin < 0 ? 0 : begin;
    const std::int64_t end = begin + size < channels ? begin + size : channels;
    float squares = 0.0F;
    for (std::int64_t c = first; c < end; ++c) {
      const float neighbor = x[i + (c - channel) * plane];
      squares += neighbor * neighbor;
    }
    const float base = bias + factor * squares;
    y[i] =
        x[i] / static_cast<float>(std::pow(static_cast<double>(base), static_cast<double>(beta)));
  }
};

}  // namespace weft::cuda
