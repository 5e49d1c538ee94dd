// The matrix products inside a network, as a library for GPUs would run them: convolutions as
// products of their im2col matrices, one for each group.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "models/devices/gemm_model.h"

namespace weft::devices {

/// The product that `node` is; none for an operator that is no contraction. Its MACs are those of
/// networks::count_macs().
///
///   Conv           [positions, C/g * taps] x [C/g * taps, F/g], g times
///   ConvTranspose  [input positions, C/g] x [C/g, F/g * taps], g times
///   MatMul         rows of all batches as one M if the right operand is one matrix; else the
///                  batches side by side
///
/// Recurrent operators must have been unrolled into their products (passes::decompose_recurrent).
/// Throws InputError if the sizes overflow.
std::optional<GemmShape> contraction_of(const graph::Graph& graph, const graph::Node& node);

}  // namespace weft::devices
