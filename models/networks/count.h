// The size of a network, counted as published tables count it.
//
// MACs are multiplications of a contraction, padding taps included: Conv, ConvInteger, QLinearConv
// output elements * (input channels / groups) * kernel taps ConvTranspose
// input elements * (output channels / groups) * kernel taps MatMul, MatMulInteger, QLinearMatMul
// output elements * K, batches included Gemm                                M * N * K LSTM, GRU,
// RNN                      steps * batch * elements of W and R, both directions Everything else
// (biases, activations, pools, normalization, peepholes, softmax) counts as 0.
//
// Parameters are what training learns (compiler/graph/learned.h).
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace weft::networks {

/// MACs of one node; 0 if it is not a contraction. Throws InputError if they do not fit 63 bits.
std::uint64_t count_macs(const graph::Graph& graph, const graph::Node& node);
/// MACs of all nodes.
std::uint64_t count_macs(const graph::Graph& graph);

/// Elements of all constants that are weights, biases, embeddings, or scales and biases of a
/// normalization. A constant counts once, however often it is used. Not counted: running means and
/// variances, quantization scales and zero points, shapes, indices, attention masks, scalars. The
/// count does not compute any constant.
std::uint64_t count_parameters(const graph::Graph& graph);

}  // namespace weft::networks
