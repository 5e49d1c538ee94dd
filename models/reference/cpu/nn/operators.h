// The functions that evaluate_nn() calls, one for each operator or family. Each takes a node with
// matching types and shapes (compiler/graph/operator_table.h) and without float16, and returns its
// outputs. Each throws InputError if elements are out of range.
#pragma once

#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference {

// conv.cpp
Tensors evaluate_conv(const NodeCall& call);
Tensors evaluate_conv_transpose(const NodeCall& call);
// matrix_product.cpp
Tensors evaluate_matmul(const NodeCall& call);
Tensors evaluate_gemm(const NodeCall& call);
// integer_conv.cpp
Tensors evaluate_conv_integer(const NodeCall& call);
Tensors evaluate_qlinear_conv(const NodeCall& call);
// integer_matmul.cpp
Tensors evaluate_matmul_integer(const NodeCall& call);
Tensors evaluate_qlinear_matmul(const NodeCall& call);
// quantize.cpp
Tensors evaluate_quantize_linear(const NodeCall& call);
Tensors evaluate_dequantize_linear(const NodeCall& call);
Tensors evaluate_dynamic_quantize_linear(const NodeCall& call);
// pool.cpp
Tensors evaluate_max_pool(const NodeCall& call);
Tensors evaluate_average_pool(const NodeCall& call);
Tensors evaluate_global_average_pool(const NodeCall& call);
Tensors evaluate_global_max_pool(const NodeCall& call);
// normalization.cpp
Tensors evaluate_batch_normalization(const NodeCall& call);
Tensors evaluate_instance_normalization(const NodeCall& call);
Tensors evaluate_layer_normalization(const NodeCall& call);
Tensors evaluate_lrn(const NodeCall& call);
// recurrent.cpp
Tensors evaluate_lstm(const NodeCall& call);
Tensors evaluate_gru(const NodeCall& call);
Tensors evaluate_rnn(const NodeCall& call);
// resize.cpp
Tensors evaluate_resize(const NodeCall& call);

}  // namespace weft::reference
