// Post-training quantization: inserts pairs of QuantizeLinear and DequantizeLinear (QDQ) into a
// floating-point network, so that it computes in int8. It uses only standard ONNX operators.
//
//     activations   int8, one scale and zero point per tensor, from the calibrated ranges
//     weights       int8, symmetric, one scale per output channel
//     biases        int32 of scale x_scale * w_scale
//
// Inputs and outputs of the graph stay float32. quantization_plan.h decides which values become
// int8; fuse_qdq() then turns the pairs into integer operators. The result differs from the
// floating-point network by the rounding of every quantized value to int8 (docs/quantization.md).
// Source: Jacob et al., "Quantization and Training of Neural Networks for Efficient
// Integer-Arithmetic-Only Inference", 2018.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/passes/quantization/calibrate.h"

namespace weft::passes {

/// `graph` must be the result of simplify() (optimize.h), and `ranges` must belong to it. Throws
/// InputError with the node or value if a bias, residual or activation is fused or a range is
/// missing.
graph::Graph quantize(graph::Graph graph, const CalibrationRanges& ranges);

}  // namespace weft::passes
