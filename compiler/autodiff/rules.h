// The rules by family; rules.cpp lists them by operator.
#pragma once

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

// contraction_rules.cpp
void matmul_gradient(NodeGradient& g);
void gemm_gradient(NodeGradient& g);

// elementwise_rules.cpp
void relu_gradient(NodeGradient& g);

// broadcast_rules.cpp
void add_gradient(NodeGradient& g);

}  // namespace weft::autodiff
