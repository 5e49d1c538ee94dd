// The matrix products inside a network, as a GPU library would run them. A convolution becomes one
// product of im2col matrices per group.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "models/devices/gemm_model.h"

namespace weft::devices {

/// The matrix product that `node` computes; nullopt if the node is not a contraction, or if K or an
/// output is empty. Its MACs equal networks::count_macs().
///
///   Conv           [positions, C/g * taps] x [C/g * taps, F/g], g times
///   ConvTranspose  [input positions, C/g] x [C/g, F/g * taps], g times
///   MatMul         one product, with the rows of all batches as M, if the right operand is one
///                  matrix; else one product per batch
///
/// Recurrent operators must have been unrolled into their products (passes::decompose_recurrent).
/// Throws InputError if the sizes overflow.
std::optional<GemmShape> contraction_of(const graph::Graph& graph, const graph::Node& node);

}  // namespace weft::devices
