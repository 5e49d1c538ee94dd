// Turns a network that is quantized with pairs of QuantizeLinear and DequantizeLinear (QDQ, the
// form that exporters write) into a network that computes with integers.
//
//     q -> Dequantize -> Conv -> [Relu | Clip] -> Quantize -> q'
//     w -> Dequantize --^                                          =>  q -> QLinearConv -> q'
//     b -> Dequantize --^   (or floating-point constants)
//
//  1. Conv, MatMul and Gemm (transA = 0, alpha = 1, and beta = 1 if there is a bias) of two
//     dequantized operands become QLinearConv and QLinearMatMul. The second operand must be
//     quantized per tensor or per output channel. A Relu or Clip before the QuantizeLinear becomes
//     the activation. The bias becomes int32 of scale x_scale * w_scale. It keeps its integers if
//     it already has this scale, else it becomes round(bias / scale). The node is not fused if its
//     bias does not fit int32. QLinearMatMul has its bias as ninth input, [N] int32.
//  2. DequantizeLinear moves down past MaxPool, Concat of inputs with equal parameters, Reshape,
//     Flatten, Squeeze, Unsqueeze, Transpose, Slice, Split, Gather, Expand, Tile, Identity and Pad
//     with 0. These nodes then work on integers.
//  3. A Relu of a dequantized value becomes the activation of the QLinear operator that made the
//     value, or else Max(integers, zero point). It disappears if the zero point is the smallest
//     integer and ZeroPoints::kGiven.
//  4. A QuantizeLinear of a value that was dequantized with the same parameters disappears.
//
// Rules 2 to 4 keep the values exactly. Rule 1 keeps them up to the rounding of the product.
// Floating point rounds the sum at each step; the integer form scales an exact sum and rounds once.
// So a result may differ by one quantization step if the floating-point value is almost halfway
// between two steps. Everything else stays Dequantize -> operator -> Quantize.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// The source of the zero points. kGiven: they are fixed in the network's file. kCalibrated: they
/// come from a calibration and may differ in another run. With kCalibrated, no node disappears
/// because of a zero point's value, so every calibration gives the same program and cycles.
enum class ZeroPoints : std::uint8_t { kGiven, kCalibrated };

graph::Graph fuse_qdq(graph::Graph graph, ZeroPoints zero_points = ZeroPoints::kGiven);

}  // namespace weft::passes
