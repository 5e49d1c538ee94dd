// Brings Gemm, alpha*A'*B' + beta*C, to the form that the rest of the compiler expects: A is not
// transposed, alpha and beta are 1, and C has one number per column or is missing.
//
//     alpha     multiplies B, if B is a constant
//     beta      multiplies C: its elements if C is a constant, else by a Mul
//     transA    becomes a Transpose before the Gemm, or transposes A if it is a constant
//     C [M,N]   becomes an Add after the Gemm, which fuse_residual may turn into a residual; the
//               same holds for a computed C and for a C [M,1]
//
// A factor other than 1 rounds each element of a float32 or float16 constant once; otherwise values
// stay the same. The pass does not change a Gemm with alpha other than 1 and a computed B.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph decompose_gemm(graph::Graph graph);

}  // namespace weft::passes
