// The sliding windows of convolutions and pools along their spatial dimensions, once for shape
// inference, reference and lowering alike.
//
//   output position o reads input positions  o*stride - pad_begin + tap*dilation,  tap < kernel;
//   those outside [0, input) are padding.
//
// With ceil_mode there is one more window if the last whole one leaves a rest of the padded input,
// unless it would start in the padding at the end: opset 17 does not say so, but such a window
// would hold nothing, and PyTorch and later opsets leave it out. It may reach beyond pad_end.
// ceil_mode bears on explicit padding alone: SAME and VALID have formulas of their own.
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

  /// Positions that the dilated kernel spans.
  std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};

/// The windows of a Conv, pool or quantised form over `input` [N, C, spatial...], with `kernel` the
/// kernel's spatial extents: strides, dilations, pads, auto_pad and ceil_mode resolved. Throws
/// InputError for wrong lengths, strides or dilations below 1, negative pads, or a kernel larger
/// than the padded input.
std::vector<WindowDim> resolve_windows(const Attributes& attributes, const Shape& input,
                                       const Shape& kernel);

/// ConvTranspose, whose `output` is the larger: strides, dilations, pads, auto_pad, output_padding
/// and output_shape resolved, so that each input position i is spread over output positions
/// i*stride - pad_begin + tap*dilation. Here `input` and `output` are as the operator has them. An
/// output_shape larger than what is spread over has no padding and holds the bias at the end.
std::vector<WindowDim> resolve_transposed_windows(const Attributes& attributes, const Shape& input,
                                                  const Shape& kernel);

}  // namespace weft::graph
