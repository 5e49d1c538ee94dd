// Normalisations in training form, written out in elementary operators so that the backward half
// finds what the forward half has computed. Over the axes of a normalisation,
//
//     mean = E[x]     variance = E[(x - mean)^2]     d = sqrt(variance + epsilon)
//     n = (x - mean) / d                             y = n * scale + bias
//
// and with p = dy * scale, E over the same axes:
//
//     dx = (p - E[p] - n * E[p * n]) / d       dscale = sum dy * n        dbias = sum dy
//
//     BatchNormalization      all axes but the channel's; the batch's own statistics
//     InstanceNormalization   the spatial axes
//     LayerNormalization      the axes from `axis` on; here scale varies along them
//
// Source: Ioffe and Szegedy, "Batch Normalization", 2015, section 3.
#pragma once

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

/// BatchNormalization, InstanceNormalization or LayerNormalization.
bool is_normalization(Op op);

/// Instance or layer normalisation `node` over `inputs`; the step keeps n and d.
Step training_form(graph::Builder& builder, const graph::Node& node, std::vector<ValueId> inputs);

struct TrainedBatchNorm {
  Step step;
  ValueId mean = graph::kNoValue;  // the running statistics, updated
  ValueId variance = graph::kNoValue;
};

/// Batch normalisation `node` over `inputs`, with running = momentum * running + (1 - momentum) *
/// batch's, the variance of the batch being that of the population (ONNX, BatchNormalization-15).
TrainedBatchNorm train_batch_norm(graph::Builder& builder, const graph::Node& node,
                                  std::vector<ValueId> inputs);

/// The rule of all three.
void normalization_gradient(NodeGradient& g);

}  // namespace weft::autodiff
