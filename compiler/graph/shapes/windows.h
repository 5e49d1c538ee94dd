// The sliding windows of convolutions and pools along their spatial dimensions. Shape inference,
// reference and lowering share this code.
//
//   output position o reads input positions  o*stride - pad_begin + tap*dilation,  tap < kernel;
//   positions outside [0, input) are padding.
//
// With ceil_mode there is one more window if the last whole window leaves a remainder of the padded
// input. This window may reach beyond pad_end. It is dropped if it would start in the padding at
// the end, because it would then contain no element. Opset 17 does not say so, but PyTorch and
// later opsets drop it too. ceil_mode applies only to explicit padding, because ONNX has separate
// formulas for SAME and VALID.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

struct WindowDim {
  std::int64_t input = 1;
  std::int64_t output = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;

  /// The number of positions that the dilated kernel spans.
  std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};

/// The windows of a convolution or pool over `input` [N, C, spatial...]; `kernel` holds the
/// kernel's spatial extents. Reads strides, dilations, pads, auto_pad and ceil_mode. Throws
/// InputError for wrong lengths, strides or dilations below 1, negative pads, or a kernel larger
/// than the padded input.
std::vector<WindowDim> resolve_windows(const Attributes& attributes, const Shape& input,
                                       const Shape& kernel);

/// The windows of a ConvTranspose. It spreads input position i over the output positions
/// i*stride - pad_begin + tap*dilation, so its output is usually larger than its input. Reads
/// strides, dilations, pads, auto_pad, output_padding and output_shape. If output_shape exceeds the
/// natural size, there is no padding, and the positions at the end hold only the bias.
std::vector<WindowDim> resolve_transposed_windows(const Attributes& attributes, const Shape& input,
                                                  const Shape& kernel);

}  // namespace weft::graph
