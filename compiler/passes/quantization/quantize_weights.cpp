#include "compiler/passes/quantization/quantize_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::passes {

using graph::Constant;
using graph::DataType;
using graph::Shape;
using graph::Tensor;

namespace {

constexpr double kMostWeight = 127;
// binary32 represents integers up to 2^24 exactly. The bias may use half of them; the other half is
// for the products. So the vector unit's sums of a depthwise filter are exact for all ranges.
constexpr double kMostBias = 1 << 23;

/// Sources: weights[, bias].
Tensor weight_scales(std::span<const Tensor> sources, const ChannelLayout& layout,
                     std::int64_t channels, float input_scale) {
  const std::span<const float> weights = sources[0].data<float>();
  std::vector<double> scales(static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double& scale = scales[layout.channel(i)];
    scale = std::max(scale, std::abs(static_cast<double>(weights[i])) / kMostWeight);
  }
  for (std::size_t c = 0; sources.size() > 1 && c < scales.size(); ++c) {
    const double bias = std::abs(static_cast<double>(sources[1].data<float>()[c]));
    scales[c] = std::max(scales[c], bias / (kMostBias * static_cast<double>(input_scale)));
  }
  for (double& scale : scales) {
    constexpr double kLeast = std::numeric_limits<float>::min();
    scale = scale == 0 ? 1 : std::max(scale, kLeast);
  }
  return real_tensor({DataType::kFloat32, {channels}}, scales);
}

Tensor integer_weights(const Tensor& weights, const Tensor& scales, const ChannelLayout& layout) {
  Tensor result(DataType::kInt8, weights.shape());
  const std::span<std::int8_t> out = result.mutable_data<std::int8_t>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float steps = weights.data<float>()[i] / scales.data<float>()[layout.channel(i)];
    out[i] = static_cast<std::int8_t>(std::clamp(std::nearbyint(steps), -127.0F, 127.0F));
  }
  return result;
}

/// Sources: bias, scale of the sums.
Tensor integer_bias(std::span<const Tensor> sources) {
  Tensor result(DataType::kInt32, sources[0].shape());
  const std::span<std::int32_t> out = result.mutable_data<std::int32_t>();
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double bias = static_cast<double>(sources[0].data<float>()[c]);
    const double steps = std::nearbyint(bias / static_cast<double>(sources[1].data<float>()[c]));
    out[c] = static_cast<std::int32_t>(std::clamp(steps, -0x1p31 + 1, 0x1p31 - 1));
  }
  return result;
}

}  // namespace

QuantizedConstant quantize_weights(const Constant& weights, const ChannelLayout& layout,
                                   const Constant* bias, float input_scale) {
  const Shape& shape = weights.type().shape;
  const std::int64_t channels = graph::element_count(shape) / (layout.inner * layout.repeats);
  std::vector<Constant> sources = {weights};
  if (bias != nullptr) sources.push_back(*bias);
  Constant scale = derive({DataType::kFloat32, {channels}}, std::move(sources),
                          [layout, channels, input_scale](std::span<const Tensor> s) {
                            return weight_scales(s, layout, channels, input_scale);
                          });
  Constant integers =
      derive({DataType::kInt8, shape}, {weights, scale},
             [layout](std::span<const Tensor> s) { return integer_weights(s[0], s[1], layout); });
  return {std::move(integers), std::move(scale)};
}

QuantizedConstant quantize_bias(const Constant& bias, const Constant& weight_scale,
                                float input_scale) {
  Constant scale =
      derive(weight_scale.type(), {weight_scale}, [input_scale](std::span<const Tensor> s) {
        Tensor product(s[0].value_type());
        std::ranges::transform(s[0].data<float>(), product.mutable_data<float>().begin(),
                               [&](float each) { return input_scale * each; });
        return product;
      });
  Constant integers = derive({DataType::kInt32, bias.type().shape}, {bias, scale}, integer_bias);
  return {std::move(integers), std::move(scale)};
}

}  // namespace weft::passes
