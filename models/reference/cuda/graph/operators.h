// The operators that run on the device. Each is a function that runs bodies and products there.
// Other operators, and nodes that takes() refuses, run on the CPU reference.
#pragma once

#include <span>

#include "models/reference/cuda/graph/node_run.h"

namespace weft::cuda {

struct DeviceOperator {
  graph::Op op;
  /// Whether the operator runs this node. It depends on types, ranks and attributes only, so it is
  /// known before the network runs.
  bool (*takes)(const graph::Graph& graph, const graph::Node& node);
  void (*run)(NodeRun& node);
};

/// All device operators, in the order of the operator table's families.
std::span<const DeviceOperator> device_operators();

/// The operator that runs this node on the device; null if none does.
const DeviceOperator* find_operator(const graph::Graph& graph, const graph::Node& node);

// elementwise.cpp
void run_unary(NodeRun& node);
void run_clip(NodeRun& node);
void run_cast(NodeRun& node);
void run_fold(NodeRun& node);  // Add ... Sum, Mean
void run_compare(NodeRun& node);
void run_logic(NodeRun& node);
void run_not(NodeRun& node);
void run_where(NodeRun& node);
// contraction.cpp
void run_matmul(NodeRun& node);
void run_gemm(NodeRun& node);
// convolution.cpp
void run_conv(NodeRun& node);
void run_conv_transpose(NodeRun& node);
// pooling.cpp
void run_max_pool(NodeRun& node);
void run_average_pool(NodeRun& node);
void run_global_pool(NodeRun& node);
// reduction.cpp
void run_reduce(NodeRun& node);
void run_softmax(NodeRun& node);
void run_arg_max(NodeRun& node);
// normalization.cpp
void run_batch_normalization(NodeRun& node);
void run_instance_normalization(NodeRun& node);
void run_layer_normalization(NodeRun& node);
void run_lrn(NodeRun& node);
// movement.cpp
void run_same_elements(NodeRun& node);
void run_transpose(NodeRun& node);
void run_slice(NodeRun& node);
void run_expand(NodeRun& node);
void run_tile(NodeRun& node);
void run_concat(NodeRun& node);
void run_split(NodeRun& node);
void run_gather(NodeRun& node);
void run_pad(NodeRun& node);

}  // namespace weft::cuda
