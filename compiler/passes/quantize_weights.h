// Weights and biases as int8 and int32, with one scale an output channel. Constants that are made
// on demand give constants that are made on demand.
#pragma once

#include "compiler/graph/constant.h"
#include "compiler/passes/constants.h"

namespace weft::passes {

/// integers * scale, along a channel each; no zero points.
struct QuantizedConstant {
  graph::Constant integers;
  graph::Constant scale;  // [channels] float32
};

/// int8 from -127 to 127: scale = largest magnitude / 127, so that 0 and the largest weight of each
/// channel are exact. With a bias, [channels], the scale is raised where the bias, in steps of
/// input_scale * scale, would come near the end of int32 otherwise.
QuantizedConstant quantize_weights(const graph::Constant& weights, const ChannelLayout& layout,
                                   const graph::Constant* bias, float input_scale);

/// int32 of scale input_scale * weight_scale, the scale of the sums that it is added to.
QuantizedConstant quantize_bias(const graph::Constant& bias, const graph::Constant& weight_scale,
                                float input_scale);

}  // namespace weft::passes
