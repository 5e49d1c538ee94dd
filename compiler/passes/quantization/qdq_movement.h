// Rules 2 to 4 of fuse_qdq.h, each for one node. All keep values exactly, because dequantization is
// an increasing function of the integer, and these operators only move or compare elements.
#pragma once

#include "compiler/passes/quantization/fuse_qdq.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

/// Removes a QuantizeLinear that only recovers the integers from which its input was dequantized.
bool cancel_quantize(Rewriter& rewriter, const graph::Node& node);
/// Makes a node that moves elements or takes their maximum work on integers.
bool move_on_integers(Rewriter& rewriter, const graph::Node& node);
/// Makes a Relu work on integers.
bool relu_on_integers(Rewriter& rewriter, const graph::Node& node, ZeroPoints zero_points);

}  // namespace weft::passes
