// The kernels of the neural-network operators, by family: contractions, quantization, windows,
// normalization, recurrence, Resize and GridSample, as ONNX (opset 17) and the extensions in
// compiler/graph/op.h define them.
//
// float32 and float64 are computed in their own type. float16 is computed in float32 and rounded to
// nearest even at the end (half.h). Integer forms are exact: sums modulo 2^32, requantized as in
// quantization.h. Functions such as exp and tanh follow scalar_functions.h; pool.cpp defines the
// order of additions in averages.
#pragma once

#include <span>

#include "compiler/graph/op_array.h"
#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference {

using graph::Op;

/// Takes a call with matching types and shapes (compiler/graph/shapes/infer_outputs.h) and returns
/// the outputs. Throws InputError, without the node's name, if elements are out of range or if the
/// operator does not accept their type.
using Kernel = Tensors (*)(const NodeCall& call);
using KernelEntry = graph::OpEntry<Kernel>;
using Kernels = std::span<const KernelEntry>;

Kernels convolution_kernels();          // contraction/conv.cpp
Kernels product_kernels();              // contraction/matrix_product.cpp
Kernels integer_convolution_kernels();  // contraction/integer_conv.cpp
Kernels integer_product_kernels();      // contraction/integer_matmul.cpp
Kernels quantization_kernels();         // quantize.cpp
Kernels pool_kernels();                 // pool.cpp
Kernels normalization_kernels();        // normalization.cpp
Kernels recurrent_kernels();            // recurrent.cpp
Kernels resize_kernels();               // resize.cpp
Kernels grid_sample_kernels();          // grid_sample.cpp

}  // namespace weft::reference
