// The gradient rules by family. rules.cpp maps operators to rules.
#pragma once

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

// contraction_rules.cpp
void matmul_gradient(NodeGradient& g);
void gemm_gradient(NodeGradient& g);

// convolution_rules.cpp
void conv_gradient(NodeGradient& g);
void conv_transpose_gradient(NodeGradient& g);

// elementwise_rules.cpp
void relu_gradient(NodeGradient& g);
void leaky_relu_gradient(NodeGradient& g);
void prelu_gradient(NodeGradient& g);
void elu_gradient(NodeGradient& g);
void selu_gradient(NodeGradient& g);
void sigmoid_gradient(NodeGradient& g);
void hard_sigmoid_gradient(NodeGradient& g);
void hard_swish_gradient(NodeGradient& g);
void tanh_gradient(NodeGradient& g);
void erf_gradient(NodeGradient& g);
void softplus_gradient(NodeGradient& g);
void clip_gradient(NodeGradient& g);
void sqrt_gradient(NodeGradient& g);
void exp_gradient(NodeGradient& g);
void log_gradient(NodeGradient& g);
void neg_gradient(NodeGradient& g);
void abs_gradient(NodeGradient& g);
void reciprocal_gradient(NodeGradient& g);
void identity_gradient(NodeGradient& g);  // Dropout at inference too
void cast_gradient(NodeGradient& g);

// broadcast_rules.cpp
void add_gradient(NodeGradient& g);  // Sum too
void mean_gradient(NodeGradient& g);
void sub_gradient(NodeGradient& g);
void mul_gradient(NodeGradient& g);
void div_gradient(NodeGradient& g);
void pow_gradient(NodeGradient& g);
void extreme_gradient(NodeGradient& g);  // Min and Max
void where_gradient(NodeGradient& g);

// reduction_rules.cpp
void softmax_gradient(NodeGradient& g);
void log_softmax_gradient(NodeGradient& g);
void reduce_sum_gradient(NodeGradient& g);
void reduce_mean_gradient(NodeGradient& g);
void reduce_extreme_gradient(NodeGradient& g);  // ReduceMax and ReduceMin

// pool_rules.cpp
void max_pool_gradient(NodeGradient& g);
void average_pool_gradient(NodeGradient& g);
void global_average_pool_gradient(NodeGradient& g);
void global_max_pool_gradient(NodeGradient& g);

// movement_rules.cpp
void reshape_gradient(NodeGradient& g);  // Flatten, Squeeze and Unsqueeze too
void transpose_gradient(NodeGradient& g);
void concat_gradient(NodeGradient& g);
void split_gradient(NodeGradient& g);
void slice_gradient(NodeGradient& g);
void gather_gradient(NodeGradient& g);
void expand_gradient(NodeGradient& g);
void tile_gradient(NodeGradient& g);
void pad_gradient(NodeGradient& g);

}  // namespace weft::autodiff
