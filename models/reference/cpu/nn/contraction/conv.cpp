// Conv and ConvTranspose, any number of spatial dimensions.
#include "models/reference/cpu/nn/contraction/convolution.h"
#include "models/reference/cpu/nn/contraction/epilogue.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"

namespace weft::reference {

namespace {

Tensors evaluate_conv(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors {
    const ConvGeometry geometry =
        conv_geometry(call.attributes, input(call, 0).shape(), input(call, 1).shape());
    Tensor y(graph::data_type_of<T>(), output_shape(geometry));
    const std::span<T> out = y.mutable_data<T>();
    convolve(geometry, elements<T>(call, 0), elements<T>(call, 1), out);
    add_bias(out, elements<T>(call, 2), output_plane(geometry.windows));
    add_residual_and_activate(call, elements<T>(call, 3), out);
    return {std::move(y)};
  });
}

Tensors evaluate_conv_transpose(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors {
    const Shape& x = input(call, 0).shape();
    const Shape& w = input(call, 1).shape();
    const std::int64_t groups = call.attributes.integer("group", 1);
    const Shape kernel(w.begin() + 2, w.end());
    const ConvGeometry geometry{x[0], groups, x[1] / groups, w[1],
                                graph::resolve_transposed_windows(call.attributes, x, kernel)};
    Tensor y(graph::data_type_of<T>(), output_shape(geometry));
    const std::span<T> out = y.mutable_data<T>();
    convolve_transposed(geometry, elements<T>(call, 0), elements<T>(call, 1), out);
    add_bias(out, elements<T>(call, 2), output_plane(geometry.windows));
    return {std::move(y)};
  });
}

}  // namespace

Kernels convolution_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kConv, with_half<evaluate_conv>},
      {Op::kConvTranspose, with_half<evaluate_conv_transpose>},
  });
  return kKernels;
}

}  // namespace weft::reference
