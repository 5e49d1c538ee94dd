#include "sim/array/kernels/grid_kernel.h"

// This file is compiled once for each instruction set; the last pass also makes the dispatch
// tables.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/array/kernels/grid_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "sim/array/kernels/float_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Int8Tag = hn::ScalableTag<std::int8_t>;
using Int32Tag = hn::ScalableTag<std::int32_t>;

/// The lanes whose control byte is set.
HWY_INLINE hn::Mask<Int8Tag> lanes_set(Int8Tag d, const std::int8_t* control) {
  return hn::MaskFromVec(hn::LoadU(d, control));
}

HWY_INLINE hn::Mask<FloatTag> lanes_set(FloatTag d, const std::int8_t* control) {
  const hn::Rebind<std::int8_t, FloatTag> d8;
  return hn::MaskFromVec(hn::BitCast(d, hn::PromoteTo(Int32Tag(), hn::LoadU(d8, control))));
}

/// On swap: weight_active <= weight_shadow.
template <class Operand>
void swap_row(const std::int8_t* swaps, std::size_t stride, const Operand* HWY_RESTRICT shadow,
              Operand* HWY_RESTRICT active) {
  const hn::ScalableTag<Operand> d;
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    const auto swap = lanes_set(d, swaps + c);
    if (hn::AllFalse(d, swap)) continue;
    hn::Store(hn::IfThenElse(swap, hn::Load(d, shadow + c), hn::Load(d, active + c)), d,
              active + c);
  }
}

/// On push: weight_out <= weight_shadow; weight_shadow <= weight_i, the old weight_out of the PE
/// above.
template <class Operand>
void push_row(const std::int8_t* pushes, std::size_t stride, const Operand* HWY_RESTRICT weight_i,
              Operand* HWY_RESTRICT shadow, Operand* HWY_RESTRICT out) {
  const hn::ScalableTag<Operand> d;
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    const auto push = lanes_set(d, pushes + c);
    if (hn::AllFalse(d, push)) continue;
    const auto old_shadow = hn::Load(d, shadow + c);
    if (hn::AllTrue(d, push)) {  // the common case needs no select
      hn::Store(old_shadow, d, out + c);
      hn::Store(hn::Load(d, weight_i + c), d, shadow + c);
      continue;
    }
    hn::Store(hn::IfThenElse(push, old_shadow, hn::Load(d, out + c)), d, out + c);
    hn::Store(hn::IfThenElse(push, hn::Load(d, weight_i + c), old_shadow), d, shadow + c);
  }
}

// Products are whole int16 vectors, cut in two only for the sums. The scalar target has one lane,
// which cannot be cut.
#if HWY_TARGET != HWY_SCALAR
/// psum <= psum_i + act_i * weight. A product of two int8 fits int16, the sum wraps in int32.
void multiply_row(const std::int8_t* acts, std::size_t stride,
                  const std::int8_t* HWY_RESTRICT active, const std::int32_t* HWY_RESTRICT psum_i,
                  std::int32_t* HWY_RESTRICT psum) {
  const hn::ScalableTag<std::int16_t> d16;
  const Int32Tag d32;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  const std::size_t half = hn::Lanes(d32);
  HWY_UNROLL(2)
  for (std::size_t c = 0; c < stride; c += 2 * half) {
    const auto act = hn::PromoteTo(d16, hn::LoadU(d8, acts + c));
    const auto weight = hn::PromoteTo(d16, hn::Load(d8, active + c));
    const auto product = hn::Mul(act, weight);
    const auto lower = hn::PromoteTo(d32, hn::LowerHalf(product));
    const auto upper = hn::PromoteTo(d32, hn::UpperHalf(hn::Half<decltype(d16)>(), product));
    hn::Store(hn::Add(hn::Load(d32, psum_i + c), lower), d32, psum + c);
    hn::Store(hn::Add(hn::Load(d32, psum_i + c + half), upper), d32, psum + c + half);
  }
}

#else
/// psum <= psum_i + act_i * weight. A product of two int8 fits int16, the sum wraps in int32.
void multiply_row(const std::int8_t* acts, std::size_t stride,
                  const std::int8_t* HWY_RESTRICT active, const std::int32_t* HWY_RESTRICT psum_i,
                  std::int32_t* HWY_RESTRICT psum) {
  const Int32Tag d32;
  const hn::Rebind<std::int16_t, Int32Tag> d16;
  const hn::Rebind<std::int8_t, Int32Tag> d8;
  HWY_UNROLL(4)
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d32)) {
    const auto act = hn::PromoteTo(d16, hn::LoadU(d8, acts + c));
    const auto weight = hn::PromoteTo(d16, hn::Load(d8, active + c));
    const auto product = hn::PromoteTo(d32, hn::Mul(act, weight));
    hn::Store(hn::Add(hn::Load(d32, psum_i + c), product), d32, psum + c);
  }
}

#endif
/// psum <= fusedMultiplyAdd(act_i, weight, psum_i), NaN canonical.
void multiply_row(const float* acts, std::size_t stride, const float* HWY_RESTRICT active,
                  const float* HWY_RESTRICT psum_i, float* HWY_RESTRICT psum) {
  const FloatTag d;
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    const auto sum = fused_multiply_add(hn::LoadU(d, acts + c), hn::Load(d, active + c),
                                        hn::Load(d, psum_i + c));
    hn::Store(canonical_lanes(sum), d, psum + c);
  }
}

template <class Operand, class Psum>
void clock_grid(const GridView<Operand, Psum>& grid) {
  static_assert(kGridLanes % hn::MaxLanes(hn::ScalableTag<Operand>()) == 0);
  const std::size_t stride = grid.stride;
  for (std::size_t r = grid.rows; r-- > 0;) {
    Operand* const active = grid.weight_active + r * stride;
    Operand* const shadow = grid.weight_shadow + r * stride;
    Operand* const weight_i = grid.weight_out + r * stride;
    Psum* const psum_i = grid.psum + r * stride;
    // The swap comes first: it takes the shadow as it was before a push of the same cycle.
    swap_row(grid.swaps + r, stride, shadow, active);
    multiply_row(grid.acts + r * grid.acts_stride + r, stride, active, psum_i, psum_i + stride);
    push_row(grid.pushes + r, stride, weight_i, shadow, weight_i + stride);
  }
}

void clock_int8_grid(const GridView<std::int8_t, std::int32_t>& grid) {
  clock_grid(grid);
}
void clock_float_grid(const GridView<float, float>& grid) {
  clock_grid(grid);
}

GridKernel<std::int8_t, std::int32_t> int8_grid_kernel() {
  return &clock_int8_grid;
}
GridKernel<float, float> float_grid_kernel() {
  return &clock_float_grid;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace weft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft {
namespace {

// Exports functions that return the kernels, not the kernels themselves. Until Highway has chosen a
// target, an exported function's entry asks the processor on every call (CPUID, slow in virtual
// machines), and step() would keep that entry.
HWY_EXPORT(int8_grid_kernel);
HWY_EXPORT(float_grid_kernel);

}  // namespace

template <>
GridKernel<std::int8_t, std::int32_t> best_grid_kernel<std::int8_t, std::int32_t>() {
  return HWY_DYNAMIC_DISPATCH(int8_grid_kernel)();
}

template <>
GridKernel<float, float> best_grid_kernel<float, float>() {
  return HWY_DYNAMIC_DISPATCH(float_grid_kernel)();
}

}  // namespace weft
#endif  // HWY_ONCE
