// Bodies of operators whose indices name elements. The processor checks the indices and turns them
// into runs of `inner` adjacent elements, so no body reads or writes outside of its operands. Runs
// that are written start at different elements, so no two indices of a body meet.
#pragma once

#include <cstdint>

#include "models/reference/host_device.h"

namespace weft::cuda {

/// GatherElements, GatherND: run r of `to` is the run of `from` that begins at starts[r].
template <class Unit>
struct GatherRuns {
  const Unit* from;
  const std::int64_t* starts;
  Unit* to;
  std::int64_t inner;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    to[i] = from[starts[i / inner] + i % inner];
  }
};

/// ScatterElements, ScatterND without reduction: the run of `to` that begins at starts[r] becomes
/// run sources[r] of `updates`.
template <class Unit>
struct PutRuns {
  const Unit* updates;
  const std::int64_t* starts;
  const std::int64_t* sources;
  Unit* to;
  std::int64_t inner;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t run = i / inner;
    to[starts[run] + i % inner] = updates[sources[run] * inner + i % inner];
  }
};

enum class UpdateFunction : std::uint8_t { kAdd, kMul, kMax, kMin };

/// For kMax and kMin: if an operand is a NaN, the result is that NaN; of two zeros, it is the
/// first.
WEFT_HOST_DEVICE inline float updated(UpdateFunction function, float x, float y) {
  switch (function) {
    case UpdateFunction::kAdd:
      return x + y;
    case UpdateFunction::kMul:
      return x * y;
    case UpdateFunction::kMax:
      return y > x || y != y ? y : x;
    case UpdateFunction::kMin:
      return y < x || y != y ? y : x;
  }
  return x;
}

/// With reduction: the run of `to` that begins at starts[r] combines with the runs of `updates`
/// whose numbers are sources[firsts[r]], ..., sources[firsts[r + 1] - 1], in this order.
struct CombineRuns {
  UpdateFunction function;
  const float* updates;
  const std::int64_t* starts;
  const std::int64_t* firsts;
  const std::int64_t* sources;
  float* to;
  std::int64_t inner;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t run = i / inner;
    const std::int64_t at = i - run * inner;
    float value = to[starts[run] + at];
    for (std::int64_t k = firsts[run]; k < firsts[run + 1]; ++k) {
      value = updated(function, value, updates[sources[k] * inner + at]);
    }
    to[starts[run] + at] = value;
  }
};

/// CumSum of x [outer, extent, inner] along the middle. One index for each line: its sums are added
/// in binary64 in their order, and each is rounded once.
struct CumulativeSum {
  const float* x;
  float* y;
  std::int64_t extent;
  std::int64_t inner;
  bool exclusive;
  bool reverse;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t first = i / inner * extent * inner + i % inner;
    double total = 0;
    for (std::int64_t k = 0; k < extent; ++k) {
      const std::int64_t at = first + (reverse ? extent - 1 - k : k) * inner;
      const double before = total;
      total += static_cast<double>(x[at]);
      y[at] = static_cast<float>(exclusive ? before : total);
    }
  }
};

}  // namespace weft::cuda
