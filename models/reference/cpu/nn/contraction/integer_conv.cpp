// ConvInteger and QLinearConv: sums are exact modulo 2^32. QLinearConv then requantizes them.
#include "models/reference/cpu/nn/contraction/convolution.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/nn/quantization.h"

namespace weft::reference {
namespace {

/// Input numbers of a convolution's operands.
struct ConvOperands {
  std::size_t x;
  std::size_t x_zero_point;
  std::size_t w;
  std::size_t w_zero_point;
};

/// The int32 sums, with output_shape(geometry). Padding equals the zero point, so it is 0 after the
/// zero point is subtracted.
Tensor convolve_integers(const NodeCall& call, const ConvGeometry& geometry,
                         ConvOperands operands) {
  const Tensor& w = input(call, operands.w);
  const std::int64_t channels = w.shape()[0];
  const AxisLayout per_channel{channels, at_least_one(w.size() / at_least_one(channels))};
  const auto x = centered(call, operands.x, zero_points(call, operands.x_zero_point), AxisLayout{});
  const auto weights =
      centered(call, operands.w, zero_points(call, operands.w_zero_point), per_channel);
  Tensor sums(DataType::kInt32, output_shape(geometry));
  convolve(geometry, std::span<const float>(x), std::span<const float>(weights),
           sums.mutable_data<std::int32_t>());
  return sums;
}

Tensors evaluate_conv_integer(const NodeCall& call) {
  const ConvGeometry geometry =
      conv_geometry(call.attributes, input(call, 0).shape(), input(call, 1).shape());
  return {convolve_integers(call, geometry, {0, 2, 1, 3})};
}

Tensors evaluate_qlinear_conv(const NodeCall& call) {
  const ConvGeometry geometry =
      conv_geometry(call.attributes, input(call, 0).shape(), input(call, 3).shape());
  const std::int64_t plane = at_least_one(output_plane(geometry.windows));
  Tensor sums = convolve_integers(call, geometry, {0, 2, 3, 5});
  add_bias_wrapping(sums.mutable_data<std::int32_t>(), elements<std::int32_t>(call, 8), plane);
  const DataType type = input(call, 7).type();
  const Requantization how =
      requantization(call, {scales(call, 1).at(0)}, scales(call, 4), scales(call, 6).at(0),
                     zero_points(call, 7).at(0), type);
  const AxisLayout per_channel{input(call, 3).shape()[0], plane};
  return {requantize(call, sums.data<std::int32_t>(), how, per_channel, {type, sums.shape()})};
}

}  // namespace

Kernels integer_convolution_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kConvInteger, evaluate_conv_integer},
      {Op::kQLinearConv, evaluate_qlinear_conv},
  });
  return kKernels;
}

}  // namespace weft::reference
