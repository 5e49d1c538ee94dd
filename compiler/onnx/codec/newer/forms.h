// The steps down from newer forms, one per operator or family. newer_node.cpp has their table.
#pragma once

#include "compiler/onnx/codec/newer/newer_node.h"

namespace weft::onnx_io {

/// Opset 18: axes are an input, and `noop_with_empty_axes` says what no axes mean.
void lower_reduction(NewerNode& node);
/// Opset 18: `num_outputs`. The last part may be smaller.
void lower_split(NewerNode& node);
/// Opset 18: axes as fourth input.
void lower_pad(NewerNode& node);
/// Opset 18: `axes`, `antialias` and `keep_aspect_ratio_policy`.
void lower_resize(NewerNode& node);
/// Opset 19: the coordinates `half_pixel_symmetric`.
void lower_symmetric_resize(NewerNode& node);
/// Opset 19: `dilations`.
void lower_average_pool(NewerNode& node);
/// Opset 19: `saturate`, and opset 24: `round_mode`, which concern only floats of 8 bits.
void lower_saturate(NewerNode& node);
void lower_round_mode(NewerNode& node);
/// Opset 21: `block_size`, scales for parts of an axis.
void lower_block_size(NewerNode& node);
/// Opset 21: `output_dtype` of QuantizeLinear, and opset 23: of DequantizeLinear.
void lower_quantized_type(NewerNode& node);
void lower_dequantized_type(NewerNode& node);
/// Opset 23: `precision` of the division.
void lower_precision(NewerNode& node);
/// Opset 20: `linear` and `cubic` were `bilinear` and `bicubic`.
void lower_grid_sample(NewerNode& node);
/// Opset 27: `stash_type`, for 16-bit floats only.
void lower_range(NewerNode& node);

}  // namespace weft::onnx_io
