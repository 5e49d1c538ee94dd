// Normalizations in training form: decomposed into elementary operators, so that the backward half
// can reuse intermediate results of the forward half. With E the mean over the normalized axes,
//
//     mean = E[x]     variance = E[(x - mean)^2]     d = sqrt(variance + epsilon)
//     n = (x - mean) / d                             y = n * scale + bias
//
// and with p = dy * scale:
//
//     dx = (p - E[p] - n * E[p * n]) / d       dscale = sum dy * n        dbias = sum dy
//
//     BatchNormalization      all axes but the channel's; the batch's own statistics
//     InstanceNormalization   the spatial axes
//     LayerNormalization      the axes from `axis` on; the scale varies along them
//
// Source: Ioffe and Szegedy, "Batch Normalization", 2015, section 3.
#pragma once

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

/// Adds the training form of `node`, an instance or layer normalization, for `inputs`. The step
/// saves n and d.
ForwardNode training_form(graph::Builder& builder, const graph::Node& node,
                          std::vector<ValueId> inputs);

struct TrainedBatchNorm {
  ForwardNode step;
  ValueId mean = graph::kNoValue;  // mean and variance: the updated running statistics
  ValueId variance = graph::kNoValue;
};

/// Adds the training form of `node`, a batch normalization, for `inputs`. It updates the statistics
/// by running = momentum * running + (1 - momentum) * batch. The batch's variance is the population
/// variance, without Bessel's correction (ONNX, BatchNormalization-15).
TrainedBatchNorm train_batch_norm(graph::Builder& builder, const graph::Node& node,
                                  std::vector<ValueId> inputs);

}  // namespace weft::autodiff
