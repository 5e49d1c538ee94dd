// A matrix product as a network of one layer.
#pragma once

#include "compiler/graph/graph.h"
#include "pe/element_type.h"
#include "sim/isa/program.h"

namespace weft::compiler {

/// out [M,N] = activation(a [M,K] * b [K,N] + bias [N]) for an array of type `dtype`: MatMul or
/// Gemm in float32, MatMulInteger with int8 operands and 32-bit sums. "b" and "bias" are constants
/// of zeros: whoever runs the program with values binds its tensors b and bias. Throws InputError
/// if a size is zero or does not fit a shape.
graph::Graph product_graph(const MatmulSpec& spec, ElementType dtype);

}  // namespace weft::compiler
