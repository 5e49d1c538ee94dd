// What the passes need to know of Conv, ConvTranspose, Gemm and MatMul alike: where their weights
// and bias are, which of the output's axes is the channel, and what already follows the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/passes/constants.h"

namespace weft::passes {

inline constexpr std::size_t kWeights = 1;  // among the inputs
inline constexpr std::size_t kBias = 2;
inline constexpr std::size_t kResidual = 3;
inline constexpr const char* kActivation = "activation";

/// Conv, ConvTranspose, Gemm or MatMul.
bool is_contraction(graph::Op op);
/// True if nothing but the bias is added to the product: neither residual nor activation.
bool ends_with_bias(const graph::Node& node);

/// How the output's channels lie in weights of shape `weights`; nothing if these are no matrix, for
/// MatMul, whose stacks of matrices have no channel.
std::optional<ChannelLayout> channel_layout(const graph::Node& node, const graph::Shape& weights);
/// The number of output channels, over all groups.
std::int64_t channel_count(const graph::Node& node, const graph::Shape& weights);
/// The channel's axis in an output of rank `rank`.
std::int64_t channel_axis(graph::Op op, std::int64_t rank);

/// `constant` as [channels], if it is one that adds the same to a whole channel of an output: after
/// broadcasting to `output`, it varies along `axis` alone. Nothing otherwise.
std::optional<graph::Constant> per_channel(const graph::Constant& constant,
                                           const graph::ValueType& output, std::int64_t axis);

/// The constant bias of a contraction with output `output`, as [channels]. Gemm's is broadcast and
/// may be another thing: nothing then.
std::optional<graph::Constant> channel_bias(graph::Op op, const graph::Constant& bias,
                                            const graph::ValueType& output);

/// Sets input `place`; places in between that the node does not have are left out.
void set_input(graph::Node& node, std::size_t place, graph::ValueId value);

}  // namespace weft::passes
