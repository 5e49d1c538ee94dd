// The arithmetic of linear quantization: real = (quantized - zero_point) * scale.
//
//   quantized = saturate(round_half_even(real / scale) + zero_point), in binary32
//   from an int32 sum: saturate(round_half_even(float(sum) * multiplier) + zero_point),
//   multiplier = (a_scale * b_scale) / y_scale, each a binary32 rounding
//
// Source: ONNX operator specification, QuantizeLinear and the QLinear operators.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference {

/// saturate(round_half_even(value) + zero_point) to Q, int8 or uint8. A NaN gives the zero point.
template <class Q>
Q round_and_saturate(float value, std::int32_t zero_point) {
  // The bounds are integers, so clamping before rounding gives the same result and never overflows.
  const float low = static_cast<float>(std::numeric_limits<Q>::min() - zero_point);
  const float high = static_cast<float>(std::numeric_limits<Q>::max() - zero_point);
  if (std::isnan(value)) return static_cast<Q>(zero_point);
  const float bounded = value < low ? low : (value > high ? high : value);
  return static_cast<Q>(static_cast<std::int32_t>(std::nearbyint(bounded)) + zero_point);
}

/// The elements of input `i`, int8, uint8 or int32; a single 0 if the input is left out.
std::vector<std::int32_t> zero_points(const NodeCall& call, std::size_t i);
/// The elements of input `i`, which must be float32.
std::vector<float> scales(const NodeCall& call, std::size_t i);

/// A tensor as [outer, axis, inner], inner not 0.
struct AxisLayout {
  std::int64_t axis = 1;
  std::int64_t inner = 1;
};

inline std::int64_t at_least_one(std::int64_t extent) {
  return std::max<std::int64_t>(extent, 1);
}

/// The elements of input `i`, int8 or uint8, as binary32 minus their zero point. Throws InputError
/// unless there is one zero point or one for each position along the axis.
std::vector<float> centered(const NodeCall& call, std::size_t i,
                            const std::vector<std::int32_t>& zero_points, AxisLayout layout);

/// sums [outer, bias.size(), plane] += bias along the middle dimension, modulo 2^32; no change if
/// `bias` is empty.
void add_bias_wrapping(std::span<std::int32_t> sums, std::span<const std::int32_t> bias,
                       std::int64_t plane);

/// How int32 sums become int8 or uint8 elements.
struct Requantization {
  std::vector<float> multipliers;  // one per position along the axis, or one
  std::int32_t zero_point = 0;
  std::int32_t low = 0;  // bounds of the activation, quantized
  std::int32_t high = 0;
};

/// Builds a QLinear operator's requantization from its scales, zero point and activation, Relu or
/// Clip. `type` is the output's. Throws InputError for another activation.
Requantization requantization(const NodeCall& call, const std::vector<float>& a_scales,
                              const std::vector<float>& b_scales, float y_scale,
                              std::int32_t zero_point, DataType type);

/// Requantizes sums [outer, axis, inner] to a tensor of type `result` with as many elements. Throws
/// InputError unless there is one multiplier or one for each position along the axis.
Tensor requantize(const NodeCall& call, std::span<const std::int32_t> sums,
                  const Requantization& how, AxisLayout layout, const graph::ValueType& result);

/// Calls function(Q{}) with Q = int8 or uint8. Throws InputError for another type.
template <class Function>
decltype(auto) with_quantized(const NodeCall& call, DataType type, Function&& function) {
  if (type == DataType::kUint8) return function(std::uint8_t{});
  if (type != DataType::kInt8) throw_wrong_type(call, type);
  return function(std::int8_t{});
}

}  // namespace weft::reference
