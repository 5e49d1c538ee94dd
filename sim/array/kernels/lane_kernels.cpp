#include "sim/array/kernels/lane_kernels.h"

#include <bit>
#include <cstring>

#include "base/error.h"
#include "sim/array/kernels/lane_functions.h"

// This file is compiled once for each instruction set; the last pass also makes the dispatch table.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/array/kernels/lane_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace weft {
namespace HWY_NAMESPACE {

template <class Word, class Function>
void for_each_lane(Word* HWY_RESTRICT x, std::size_t n, Function function) {
  for (std::size_t i = 0; i < n; ++i) x[i] = function(x[i]);
}

template <class Word, class Function>
void for_each_pair(Word* HWY_RESTRICT x, const Word* HWY_RESTRICT y, std::size_t n,
                   Function function) {
  for (std::size_t i = 0; i < n; ++i) x[i] = function(x[i], y[i]);
}

/// Loads elements from memory of any alignment.
template <class From, class To, class Function>
void for_each_load(const std::byte* HWY_RESTRICT from, To* HWY_RESTRICT to, std::size_t n,
                   Function function) {
  for (std::size_t i = 0; i < n; ++i) {
    From element;
    std::memcpy(&element, from + i * sizeof(From), sizeof(From));
    to[i] = function(element);
  }
}

template <class From, class Function>
void for_each_store(const From* HWY_RESTRICT from, std::byte* HWY_RESTRICT to, std::size_t n,
                    Function function) {
  using To = decltype(function(From{}));
  for (std::size_t i = 0; i < n; ++i) {
    const To element = function(from[i]);
    std::memcpy(to + i * sizeof(To), &element, sizeof(To));
  }
}

template <class Word>
void combine_either(VectorCombine combine, Word* x, const Word* y, std::size_t n) {
  switch (combine) {
    case VectorCombine::kNone:
      return;
    case VectorCombine::kAdd:
      return for_each_pair(x, y, n, [](Word a, Word b) { return lane::add(a, b); });
    case VectorCombine::kSub:
      return for_each_pair(x, y, n, [](Word a, Word b) { return lane::sub(a, b); });
    case VectorCombine::kMul:
      return for_each_pair(x, y, n, [](Word a, Word b) { return lane::mul(a, b); });
    case VectorCombine::kMin:
      return for_each_pair(x, y, n, [](Word a, Word b) { return lane::min(a, b); });
    case VectorCombine::kMax:
      return for_each_pair(x, y, n, [](Word a, Word b) { return lane::max(a, b); });
    case VectorCombine::kDiv:
    case VectorCombine::kPow:
    case VectorCombine::kPrelu:
      throw SimulationError("a vector instruction uses a combine of reals on integers");
  }
}

void combine_float(VectorCombine combine, float* x, const float* y, std::size_t n) {
  switch (combine) {
    case VectorCombine::kDiv:
      return for_each_pair(x, y, n, [](float a, float b) { return a / b; });
    case VectorCombine::kPow:
      return for_each_pair(x, y, n, lane::pow);
    case VectorCombine::kPrelu:
      return for_each_pair(x, y, n, [](float a, float b) { return lane::prelu(a, b); });
    default:
      return combine_either(combine, x, y, n);
  }
}

template <class Word>
void apply_either(VectorOp op, Word low, Word high, Word* x, std::size_t n) {
  switch (op) {
    case VectorOp::kCopy:
      return;
    case VectorOp::kRelu:
      return for_each_lane(x, n, [](Word value) { return lane::relu(value); });
    case VectorOp::kClamp:
      return for_each_lane(x, n, [=](Word value) { return lane::clamp(value, low, high); });
    case VectorOp::kNeg:
      return for_each_lane(x, n, [](Word value) { return lane::neg(value); });
    case VectorOp::kAbs:
      return for_each_lane(x, n, [](Word value) { return lane::abs(value); });
    default:
      throw SimulationError("a vector instruction uses a function of reals on integers");
  }
}

void apply_float(VectorOp op, float low, float high, float* x, std::size_t n) {
  switch (op) {
    case VectorOp::kLeakyRelu:
      return for_each_lane(x, n, [=](float value) { return lane::leaky_relu(value, low); });
    case VectorOp::kElu:
      return for_each_lane(x, n, [=](float value) { return lane::elu(value, low); });
    case VectorOp::kSelu:
      return for_each_lane(x, n, [=](float value) { return lane::selu(value, low, high); });
    case VectorOp::kSigmoid:
      return for_each_lane(x, n, lane::sigmoid);
    case VectorOp::kHardSigmoid:
      return for_each_lane(x, n, [=](float value) { return lane::hard_sigmoid(value, low, high); });
    case VectorOp::kHardSwish:
      return for_each_lane(x, n, [](float value) { return lane::hard_swish(value); });
    case VectorOp::kTanh:
      return for_each_lane(x, n, lane::tanh);
    case VectorOp::kErf:
      return for_each_lane(x, n, lane::erf);
    case VectorOp::kSoftplus:
      return for_each_lane(x, n, lane::softplus);
    case VectorOp::kSqrt:
      return for_each_lane(x, n, [](float value) { return lane::sqrt(value); });
    case VectorOp::kExp:
      return for_each_lane(x, n, lane::exp);
    case VectorOp::kLog:
      return for_each_lane(x, n, lane::log);
    case VectorOp::kReciprocal:
      return for_each_lane(x, n, [](float value) { return lane::reciprocal(value); });
    default:
      return apply_either(op, low, high, x, n);
  }
}

template <class Word>
Word sum_lanes(Word* x, std::size_t n) {
  while (n > 1) {
    const std::size_t pairs = n / 2;
    for (std::size_t i = 0; i < pairs; ++i) x[i] = lane::add(x[2 * i], x[2 * i + 1]);
    if (n % 2 != 0) x[pairs] = x[n - 1];
    n = pairs + n % 2;
  }
  return x[0];
}

template <class Word>
Word max_lane(Word* x, std::size_t n) {
  while (n > 1) {  // in halves, because that vectorizes; the order does not change the maximum
    const std::size_t half = n / 2;
    const Word* upper = x + (n - half);
    for (std::size_t i = 0; i < half; ++i) x[i] = lane::max(x[i], upper[i]);
    n -= half;
  }
  return x[0];
}

void convert_sums(const std::int32_t* HWY_RESTRICT sums, const std::byte* HWY_RESTRICT bias,
                  float* HWY_RESTRICT out, std::size_t n) {
  if (bias == nullptr) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(sums[i]);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::int32_t addend;
    std::memcpy(&addend, bias + i * sizeof(addend), sizeof(addend));
    out[i] = static_cast<float>(lane::add(sums[i], addend));
  }
}

void load_int8(const std::byte* from, std::int32_t* out, std::size_t n) {
  for_each_load<std::int8_t>(from, out, n, [](std::int8_t q) { return std::int32_t{q}; });
}
void load_quantized(const std::byte* from, Quantization quantization, float* out, std::size_t n) {
  const auto scale = std::bit_cast<float>(quantization.scale);
  for_each_load<std::int8_t>(from, out, n, [=, zero = quantization.zero](std::int8_t q) {
    return lane::dequantized(q, scale, zero);
  });
}
void load_bf16(const std::byte* from, float* out, std::size_t n) {
  for_each_load<Bf16>(from, out, n, [](Bf16 element) { return to_float(element); });
}
void load_fp16(const std::byte* from, float* out, std::size_t n) {
  for_each_load<Fp16>(from, out, n, [](Fp16 element) { return to_float(element); });
}

void store_int8(const std::int32_t* x, std::byte* to, std::size_t n) {
  for_each_store(x, to, n, [](std::int32_t value) { return lane::saturated(value); });
}
void store_quantized(const float* x, Quantization quantization, std::byte* to, std::size_t n) {
  const auto scale = std::bit_cast<float>(quantization.scale);
  for_each_store(x, to, n, [=, zero = quantization.zero](float value) {
    return lane::quantized(value, scale, zero);
  });
}
void store_bf16(const float* x, std::byte* to, std::size_t n) {
  for_each_store(x, to, n, [](float value) { return lane::bf16_bits(value); });
}
void store_fp16(const float* x, std::byte* to, std::size_t n) {
  for_each_store(x, to, n, [](float value) { return lane::fp16_bits(value); });
}
void store_float32(const float* x, std::byte* to, std::size_t n) {
  for_each_store(x, to, n, [](float value) { return value != value ? lane::kNan : value; });
}

LaneKernels lane_kernels() {
  return {.int32 = {&combine_either<std::int32_t>, &apply_either<std::int32_t>,
                    &sum_lanes<std::int32_t>, &max_lane<std::int32_t>},
          .float32 = {&combine_float, &apply_float, &sum_lanes<float>, &max_lane<float>},
          .convert_sums = &convert_sums,
          .load_int8 = &load_int8,
          .load_quantized = &load_quantized,
          .load_bf16 = &load_bf16,
          .load_fp16 = &load_fp16,
          .store_int8 = &store_int8,
          .store_quantized = &store_quantized,
          .store_bf16 = &store_bf16,
          .store_fp16 = &store_fp16,
          .store_float32 = &store_float32};
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace weft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft {

HWY_EXPORT(lane_kernels);

LaneKernels best_lane_kernels() {
  return HWY_DYNAMIC_DISPATCH(lane_kernels)();
}

}  // namespace weft
#endif  // HWY_ONCE
