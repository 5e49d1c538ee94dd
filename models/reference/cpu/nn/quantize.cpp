// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include <algorithm>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/nn/quantization.h"

namespace weft::reference {
namespace {

/// Scales and zero points. Each is one for all elements or one per position along the axis.
class AxisParameters {
 public:
  AxisParameters(const NodeCall& call, const Shape& shape)
      : scales_(scales(call, 1)), zero_points_(zero_points(call, 2)) {
    if (scales_.size() == 1 && zero_points_.size() == 1) return;
    const std::int64_t axis = graph::normalized_axis(call.attributes.integer("axis", 1),
                                                     static_cast<std::int64_t>(shape.size()));
    const auto position = static_cast<std::size_t>(axis);
    axis_ = static_cast<std::size_t>(shape[position]);
    inner_ = static_cast<std::size_t>(graph::row_major_strides(shape)[position]);
    if (scales_.size() != axis_ || (zero_points_.size() != axis_ && zero_points_.size() != 1)) {
      throw InputError(
          "there must be one scale and zero point, or one for each position along the axis");
    }
  }

  float scale(std::size_t i) const { return scales_[index(i, scales_.size())]; }
  std::int32_t zero_point(std::size_t i) const {
    return zero_points_[index(i, zero_points_.size())];
  }

 private:
  std::size_t index(std::size_t i, std::size_t count) const {
    return count == 1 ? 0 : i / inner_ % axis_;
  }

  std::vector<float> scales_;
  std::vector<std::int32_t> zero_points_;
  std::size_t axis_ = 1;
  std::size_t inner_ = 1;
};

std::vector<float> real_elements(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  if (x.type() == DataType::kInt32) {
    const auto data = x.data<std::int32_t>();
    std::vector<float> result(data.size());
    std::transform(data.begin(), data.end(), result.begin(),
                   [](std::int32_t value) { return static_cast<float>(value); });
    return result;
  }
  const auto data = elements<float>(call, 0);
  return {data.begin(), data.end()};
}

template <class T>
Tensor dequantize(const Tensor& x, const AxisParameters& parameters) {
  Tensor y(DataType::kFloat32, x.shape());
  const auto in = x.data<T>();
  const auto out = y.mutable_data<float>();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto centered = static_cast<std::int64_t>(in[i]) - parameters.zero_point(i);
    out[i] = static_cast<float>(centered) * parameters.scale(i);
  }
  return y;
}

Tensors evaluate_quantize_linear(const NodeCall& call) {
  const std::vector<float> x = real_elements(call);
  const AxisParameters parameters(call, input(call, 0).shape());
  const Tensor* zero_point = optional_input(call, 2);
  const DataType type = zero_point == nullptr ? DataType::kUint8 : zero_point->type();
  Tensor y(type, input(call, 0).shape());
  with_quantized(call, type, [&]<class Q>(Q) {
    const std::span<Q> out = y.mutable_data<Q>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = round_and_saturate<Q>(x[i] / parameters.scale(i), parameters.zero_point(i));
    }
  });
  return {std::move(y)};
}

Tensors evaluate_dequantize_linear(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const AxisParameters parameters(call, x.shape());
  if (x.type() == DataType::kInt32) return {dequantize<std::int32_t>(x, parameters)};
  return with_quantized(call, x.type(),
                        [&]<class Q>(Q) -> Tensors { return {dequantize<Q>(x, parameters)}; });
}

Tensors evaluate_dynamic_quantize_linear(const NodeCall& call) {
  const auto x = elements<float>(call, 0);
  float low = 0;  // the range always includes 0
  float high = 0;
  for (const float value : x) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // All zeros have no range; any scale represents them.
  const float scale = low == high ? 1.0F : (high - low) / 255.0F;
  const auto zero_point = round_and_saturate<std::uint8_t>(0.0F - low / scale, 0);
  Tensor y(DataType::kUint8, input(call, 0).shape());
  const auto out = y.mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = round_and_saturate<std::uint8_t>(x[i] / scale, zero_point);
  }
  return {std::move(y), Tensor::scalar(scale), Tensor::scalar(zero_point)};
}

}  // namespace

Kernels quantization_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kQuantizeLinear, evaluate_quantize_linear},
      {Op::kDequantizeLinear, evaluate_dequantize_linear},
      {Op::kDynamicQuantizeLinear, evaluate_dynamic_quantize_linear},
  });
  return kKernels;
}

}  // namespace weft::reference
