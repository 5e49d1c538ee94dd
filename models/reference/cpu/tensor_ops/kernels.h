// The kernels of the tensor operators, by family: element-wise functions, broadcasting arithmetic,
// reductions, and everything that moves elements or makes shapes.
//
// Numerics of float32: transcendental functions are evaluated in binary64 and rounded once; other
// element-wise operations are single binary32 operations. Sums along axes (reductions, softmax) are
// accumulated in binary64 in the order of the elements and rounded once. Integers wrap.
#pragma once

#include "models/reference/cpu/nn/kernels.h"

namespace weft::reference::tensor_ops {

Kernels unary_kernels();       // unary.cpp: one element in, one out
Kernels cast_kernels();        // convert.cpp
Kernels arithmetic_kernels();  // arithmetic.cpp
Kernels logic_kernels();       // logic.cpp: comparisons and choices too
Kernels softmax_kernels();     // softmax.cpp
Kernels reduction_kernels();   // reduce.cpp
Kernels arg_max_kernels();     // arg_max.cpp: and arg min
Kernels reshape_kernels();     // reshape.cpp: elements stay the same
Kernels generator_kernels();   // generators.cpp: elements made from shapes and scalars
Kernels joining_kernels();     // joining.cpp: blocks copied whole
Kernels movement_kernels();    // movement.cpp: strided views
Kernels pad_kernels();         // pad.cpp: borders

Kernels indexed_gather_kernels();  // indexed/gather.cpp: runs that indices name
Kernels scatter_kernels();         // indexed/scatter.cpp
Kernels one_hot_kernels();         // indexed/one_hot.cpp
Kernels line_kernels();            // indexed/along_lines.cpp: CumSum and TopK

}  // namespace weft::reference::tensor_ops
