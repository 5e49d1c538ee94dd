// Brings Gemm, alpha*A'*B' + beta*C, to the form that the rest of the compiler works with: A as it
// lies, alpha and beta 1, and C one number a column (or none).
//
//     alpha     goes into B, if that is a constant
//     beta      goes into C: into its elements if it is a constant, else into a Mul
//     transA    a Transpose before it, or A's elements in another order if it is a constant
//     C [M,N]   an Add behind it (of which fuse_residual makes a residual); so is a C that is
//               computed, or one of [M,1]
//
// alpha and beta round each element of a float32 or float16 constant once; with alpha and beta 1
// the values are the same. A Gemm whose alpha is not 1 and whose B is computed is left as it is.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph decompose_gemm(graph::Graph graph);

}  // namespace weft::passes
