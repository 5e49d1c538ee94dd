// Quantizes weights to int8 and biases to int32, with one scale per output channel. Constants made
// on demand stay so.
#pragma once

#include "compiler/graph/constant.h"
#include "compiler/passes/rewrite/constants.h"

namespace weft::passes {

/// A constant with the values integers * scale. Each channel has its own scale; zero points are 0.
struct QuantizedConstant {
  graph::Constant integers;
  graph::Constant scale;  // [channels] float32
};

/// Quantizes to int8 from -127 to 127: scale = largest magnitude / 127, so that 0 and the largest
/// weight of each channel are exact. With a bias, [channels], a channel's scale is raised if the
/// bias would otherwise exceed 2^23 steps of input_scale * scale.
QuantizedConstant quantize_weights(const graph::Constant& weights, const ChannelLayout& layout,
                                   const graph::Constant* bias, float input_scale);

/// Quantizes to int32 of scale input_scale * weight_scale, the scale of the contraction's sums.
QuantizedConstant quantize_bias(const graph::Constant& bias, const graph::Constant& weight_scale,
                                float input_scale);

}  // namespace weft::passes
