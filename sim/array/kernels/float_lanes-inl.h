// Operations on binary32 lanes that give the exact bits of the numerics contract: the fused
// multiply-add with one rounding, and the canonical NaN. Compiled once for each instruction set.

// The toggle that Highway's multiple inclusion prescribes instead of #pragma once.
#if defined(WEFT_SIM_ARRAY_FLOAT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_SIM_ARRAY_FLOAT_LANES_INL_H_
#undef WEFT_SIM_ARRAY_FLOAT_LANES_INL_H_
#else
#define WEFT_SIM_ARRAY_FLOAT_LANES_INL_H_
#endif

#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "pe/arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace weft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

#if HWY_NATIVE_FMA

HWY_INLINE FloatVec fused_multiply_add(FloatVec a, FloatVec b, FloatVec sum) {
  return hn::MulAdd(a, b, sum);
}

#else

/// Highway's MulAdd rounds twice here, so each lane goes through the C library. Slow and exact.
HWY_INLINE FloatVec fused_multiply_add(FloatVec a, FloatVec b, FloatVec sum) {
  constexpr std::size_t kLanes = hn::MaxLanes(FloatTag());
  HWY_ALIGN float a_lanes[kLanes];
  HWY_ALIGN float b_lanes[kLanes];
  HWY_ALIGN float sum_lanes[kLanes];
  hn::Store(a, FloatTag(), a_lanes);
  hn::Store(b, FloatTag(), b_lanes);
  hn::Store(sum, FloatTag(), sum_lanes);
  for (std::size_t i = 0; i < kLanes; ++i) {
    sum_lanes[i] = std::fma(a_lanes[i], b_lanes[i], sum_lanes[i]);
  }
  return hn::Load(FloatTag(), sum_lanes);
}

#endif

HWY_INLINE FloatVec canonical_lanes(FloatVec value) {
  const FloatVec nan =
      hn::BitCast(FloatTag(), hn::Set(hn::RebindToUnsigned<FloatTag>(), kCanonicalNan));
  return hn::IfThenElse(hn::IsNaN(value), nan, value);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace weft
HWY_AFTER_NAMESPACE();

#endif  // WEFT_SIM_ARRAY_FLOAT_LANES_INL_H_
