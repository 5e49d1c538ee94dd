// Rule 1 of fuse_qdq.h: Conv, MatMul and Gemm between DequantizeLinear and QuantizeLinear.
#pragma once

#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

/// Replaces a QuantizeLinear and the contraction before it by a QLinearConv or QLinearMatMul.
bool fuse_contraction(Rewriter& rewriter, const graph::Node& quantize);

}  // namespace weft::passes
