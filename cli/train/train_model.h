// The network that `weft train` trains: at the batch of training, and as it is saved.
#pragma once

#include <string>

#include "cli/train/train_options.h"
#include "compiler/graph/graph.h"
#include "models/training/executor.h"

namespace weft::cli {

/// At the batch asked for; else at kDefaultBatch, or at the batch that an ONNX file fixes. Weights
/// of a built-in network are drawn from the seed. Throws InputError.
graph::Graph load_train_network(const TrainRequest& request);

/// The trained network as ONNX bytes, for `weft run` and any other program. Where the network
/// computes the same for any batch, the file leaves the batch open; else it is 1, or what the file
/// that was trained fixes. `values` are the learnt constants by name. Throws InputError.
std::string trained_onnx(const TrainRequest& request, const training::NamedTensors& values);

}  // namespace weft::cli
