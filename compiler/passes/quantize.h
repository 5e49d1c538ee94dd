// Post-training quantisation: turns a floating-point network into one that computes in int8, in the
// form of pairs of QuantizeLinear and DequantizeLinear (QDQ), with operators of ONNX alone.
//
//     activations   int8, one scale and zero point a tensor, from the ranges seen in calibration
//     weights       int8, symmetric, one scale an output channel
//     biases        int32 of scale x_scale * w_scale
//
// Inputs and outputs of the graph stay float32. Which values become int8 is in quantization_plan.h;
// fuse_qdq() then makes integer operators of the pairs. The result differs from the network by the
// rounding to int8 of every quantised value (docs/quantization.md).
// Source: Jacob et al., "Quantization and Training of Neural Networks for Efficient
// Integer-Arithmetic-Only Inference", 2018.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/passes/calibrate.h"

namespace weft::passes {

/// `graph` is as simplify() leaves it (optimize.h), and `ranges` are its own. Throws InputError
/// naming the node or value: a graph with fused biases, residuals or activations; a missing range.
graph::Graph quantize(graph::Graph graph, const CalibrationRanges& ranges);

}  // namespace weft::passes
