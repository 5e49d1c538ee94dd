// A uniform view of Conv, ConvTranspose, Gemm and MatMul: the inputs with weights and bias, the
// channel axis of the output, and the operations already fused after the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/passes/rewrite/constants.h"

namespace weft::passes {

inline constexpr std::size_t kWeights = 1;  // numbers of the inputs
inline constexpr std::size_t kBias = 2;
inline constexpr std::size_t kResidual = 3;
inline constexpr const char* kActivation = "activation";

/// True for Conv, ConvTranspose, Gemm and MatMul.
bool is_contraction(graph::Op op);
/// True for those that take a residual and an activation: all but ConvTranspose.
bool takes_epilogue(graph::Op op);
/// True if the node has neither a residual nor an activation.
bool ends_with_bias(const graph::Node& node);

/// The layout of the output's channels in weights of shape `weights`. Returns nullopt for weights
/// without elements, and for a MatMul with weights of a rank other than 2, because a stack of
/// matrices has no channel.
std::optional<ChannelLayout> channel_layout(const graph::Node& node, const graph::Shape& weights);
/// The channel axis in an output of rank `rank`.
std::int64_t channel_axis(graph::Op op, std::int64_t rank);

/// `constant` as [channels] if it has one value per channel: after broadcasting to `output`, it
/// varies only along `axis`. Returns nullopt otherwise.
std::optional<graph::Constant> per_channel(const graph::Constant& constant,
                                           const graph::ValueType& output, std::int64_t axis);

/// The constant bias of a contraction with output `output`, as [channels]. Returns nullopt for a
/// Gemm with a C that does not have one value per channel.
std::optional<graph::Constant> channel_bias(graph::Op op, const graph::Constant& bias,
                                            const graph::ValueType& output);

/// Sets input `place`. If the node has fewer inputs, the inputs in between are omitted (kNoValue).
void set_input(graph::Node& node, std::size_t place, graph::ValueId value);

}  // namespace weft::passes
