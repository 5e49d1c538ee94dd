// The network of `weft train`: as it is trained, and as it is saved.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "models/training/executor.h"
#include "runtime/train/train_request.h"

namespace weft::runtime {

/// Loads the network at the requested batch, else at kDefaultBatch or the batch that an ONNX file
/// fixes. The weights of a built-in network come from the seed. Throws InputError.
graph::Graph load_train_network(const TrainRequest& request);

/// Returns the trained network as ONNX bytes, for `weft run` and other programs. The file leaves
/// the batch open if the network is the same for any batch. Otherwise the batch is 1, or the batch
/// that the trained file fixes. `values` are the learned constants by name. Throws InputError.
std::string trained_onnx(const TrainRequest& request, const training::NamedTensors& values);

}  // namespace weft::runtime
