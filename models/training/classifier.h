// A network as training sees it: images in, logits out, and constants that are learned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/graph.h"
#include "models/training/executor.h"

namespace weft::training {

/// The inputs and outputs of a network that can be trained and evaluated: one float32 input [batch,
/// ...] and one float32 output [batch, classes].
struct ClassifierShape {
  std::string input;
  graph::Shape image_shape;  // of a batch
  std::string output;
  std::int64_t batch = 0;
  std::int64_t classes = 0;
};

/// Throws InputError if the network has another form; the message says which.
ClassifierShape classifier_shape(const graph::Graph& network);

/// The network with its logits as output (a final Softmax is removed) and the constants of these
/// names as inputs.
PassGraph evaluation_graph(graph::Graph network, const std::vector<std::string>& learnt);

/// A 64-bit hash of the network's nodes, types and constants.
std::uint64_t fingerprint(const graph::Graph& network);

}  // namespace weft::training
