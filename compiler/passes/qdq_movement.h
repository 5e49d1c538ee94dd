// Rules 2 to 4 of fuse_qdq.h, each for one node. All keep values exactly: dequantising is one
// increasing function of the integer, and what these operators do is to move or compare elements.
#pragma once

#include "compiler/passes/fuse_qdq.h"
#include "compiler/passes/rewriter.h"

namespace weft::passes {

/// Removes a QuantizeLinear that gives back the integers that its input was dequantised from.
bool cancel_quantize(Rewriter& rewriter, const graph::Node& node);
/// Lets a node that moves elements or takes their maximum work on integers.
bool move_on_integers(Rewriter& rewriter, const graph::Node& node);
/// The same for a Relu.
bool relu_on_integers(Rewriter& rewriter, const graph::Node& node, ZeroPoints zero_points);

}  // namespace weft::passes
