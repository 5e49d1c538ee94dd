#include "models/reference/cpu/nn/quantization.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "models/reference/cpu/nn/activation.h"

namespace weft::reference {
namespace {

/// The index of the value for element `i`, among `count` values along the axis. A single value
/// applies to all elements.
std::size_t axis_index(std::size_t i, std::size_t count, AxisLayout layout) {
  if (count == 1) return 0;
  return i / static_cast<std::size_t>(layout.inner) % static_cast<std::size_t>(layout.axis);
}

void check_count(const NodeCall& call, std::size_t count, AxisLayout layout, std::string_view of) {
  if (count == 1 || count == static_cast<std::size_t>(layout.axis)) return;
  throw InputError(fmt::format("{}: {} {} for {} positions along the axis; give one or {}",
                               to_string(call.op), count, of, layout.axis, layout.axis));
}

/// Sets the activation's bounds on the quantized result. Rounding is monotonic, so clamping before
/// it equals clamping to rounded bounds after it.
template <class Q>
void set_bounds(const ActivationFunction& activation, float y_scale, Requantization& how) {
  how.low = std::numeric_limits<Q>::min();
  how.high = std::numeric_limits<Q>::max();
  switch (activation.kind) {
    case ActivationKind::kIdentity:
      return;
    case ActivationKind::kRelu:
      how.low = how.zero_point;
      return;
    case ActivationKind::kClip:
      how.low = static_cast<std::int32_t>(
          round_and_saturate<Q>(activation.alpha / y_scale, how.zero_point));
      how.high = static_cast<std::int32_t>(
          round_and_saturate<Q>(activation.beta / y_scale, how.zero_point));
      return;
    default:
      throw InputError("a quantized operator's activation must be Relu or Clip");
  }
}

}  // namespace

std::vector<std::int32_t> zero_points(const NodeCall& call, std::size_t i) {
  const Tensor* tensor = optional_input(call, i);
  if (tensor == nullptr) return {0};
  if (tensor->type() == DataType::kInt32) {
    const auto data = tensor->data<std::int32_t>();
    return {data.begin(), data.end()};
  }
  return with_quantized(call, tensor->type(), [&]<class Q>(Q) -> std::vector<std::int32_t> {
    const auto data = tensor->data<Q>();
    return {data.begin(), data.end()};
  });
}

std::vector<float> scales(const NodeCall& call, std::size_t i) {
  input(call, i);
  const auto data = elements<float>(call, i);
  return {data.begin(), data.end()};
}

std::vector<float> centered(const NodeCall& call, std::size_t i,
                            const std::vector<std::int32_t>& zero_points, AxisLayout layout) {
  const Tensor& tensor = input(call, i);
  check_count(call, zero_points.size(), layout, "zero points");
  return with_quantized(call, tensor.type(), [&]<class Q>(Q) {
    const auto data = tensor.data<Q>();
    std::vector<float> result(data.size());
    const std::size_t inner = static_cast<std::size_t>(layout.inner);
    for (std::size_t first = 0; first < data.size(); first += inner) {
      const std::int32_t zero = zero_points[axis_index(first, zero_points.size(), layout)];
      for (std::size_t k = first; k < first + inner; ++k) {
        result[k] = static_cast<float>(static_cast<std::int32_t>(data[k]) - zero);
      }
    }
    return result;
  });
}

void add_bias_wrapping(std::span<std::int32_t> sums, std::span<const std::int32_t> bias,
                       std::int64_t plane) {
  for (std::size_t i = 0; !bias.empty() && i < sums.size(); ++i) {
    const std::int32_t value = bias[i / static_cast<std::size_t>(plane) % bias.size()];
    sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                        static_cast<std::uint32_t>(value));
  }
}

Requantization requantization(const NodeCall& call, const std::vector<float>& a_scales,
                              const std::vector<float>& b_scales, float y_scale,
                              std::int32_t zero_point, DataType type) {
  Requantization how;
  how.zero_point = zero_point;
  for (const float a : a_scales) {
    for (const float b : b_scales) how.multipliers.push_back(a * b / y_scale);
  }
  with_quantized(call, type,
                 [&]<class Q>(Q) { set_bounds<Q>(activation_of(call.attributes), y_scale, how); });
  return how;
}

Tensor requantize(const NodeCall& call, std::span<const std::int32_t> sums,
                  const Requantization& how, AxisLayout layout, const graph::ValueType& result) {
  check_count(call, how.multipliers.size(), layout, "scales");
  Tensor y(result);
  with_quantized(call, result.type, [&]<class Q>(Q) {
    const std::span<Q> out = y.mutable_data<Q>();
    const std::size_t inner = static_cast<std::size_t>(layout.inner);
    for (std::size_t first = 0; first < sums.size(); first += inner) {
      const float multiplier = how.multipliers[axis_index(first, how.multipliers.size(), layout)];
      for (std::size_t k = first; k < first + inner; ++k) {
        const float scaled = static_cast<float>(sums[k]) * multiplier;
        const auto value = static_cast<std::int32_t>(round_and_saturate<Q>(scaled, how.zero_point));
        out[k] = static_cast<Q>(std::min(std::max(value, how.low), how.high));
      }
    }
  });
  return y;
}

}  // namespace weft::reference
