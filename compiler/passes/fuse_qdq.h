// Turns a network that is quantised by pairs of QuantizeLinear and DequantizeLinear (QDQ, the form
// that exporters write) into one that computes with the integers themselves.
//
//     q -> Dequantize -> Conv -> [Relu | Clip] -> Quantize -> q'
//     w -> Dequantize --^                                          =>  q -> QLinearConv -> q'
//     b -> Dequantize --^   (or floating-point constants)
//
//  1. Conv, MatMul and Gemm (transA = 0, alpha = 1, and beta = 1 if there is a bias) of two
//     dequantised operands, the second quantised per tensor or per output channel, become
//     QLinearConv and QLinearMatMul; a Relu or Clip before the QuantizeLinear becomes their
//     activation. The bias becomes int32 of scale x_scale * w_scale: its own integers if that is
//     its scale already, else round(bias / scale). A bias that int32 does not hold stops the
//     fusion. QLinearMatMul has its bias as ninth input, [N] int32.
//  2. DequantizeLinear moves down past MaxPool, Concat of equal parameters, Reshape, Flatten,
//     Squeeze, Unsqueeze, Transpose, Slice, Gather, Expand, Tile, Identity and Pad with 0, which
//     then work on integers.
//  3. Relu of a dequantised value becomes the activation of the QLinear operator that made it, or
//     Max(integers, zero point), or nothing if the zero point is the smallest integer and given.
//  4. QuantizeLinear of a value that was dequantised with the same parameters disappears.
//
// 2, 3 and 4 keep the values exactly. 1 keeps them up to the rounding of the product: in floating
// point the sum is rounded at each step, here it is an exact integer that is scaled and rounded
// once, so that a result may differ by one step where the floating-point value lay close to the
// middle between two. Everything else stays Dequantize -> operator -> Quantize.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// Where zero points come from: the network's file has them once and for all, or a calibration that
/// another run of the same network may change. Then no node disappears for the sake of what they
/// are, so that the program, and with it every cycle, is that of any other calibration.
enum class ZeroPoints : std::uint8_t { kGiven, kCalibrated };

graph::Graph fuse_qdq(graph::Graph graph, ZeroPoints zero_points = ZeroPoints::kGiven);

}  // namespace weft::passes
