// A network as training sees it: images in, logits out, and constants that are learnt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/graph.h"
#include "models/training/executor.h"

namespace weft::training {

/// What a network must be to learn or to be judged: one float32 input [batch, ...] and one float32
/// output [batch, classes].
struct ClassifierShape {
  std::string input;
  graph::Shape image_shape;  // of a batch
  std::string output;
  std::int64_t batch = 0;
  std::int64_t classes = 0;
};

/// Throws InputError saying what the network has instead.
ClassifierShape classifier_shape(const graph::Graph& network);

/// The network with its logits as output (without a Softmax at its end) and the constants of these
/// names as inputs.
PassGraph evaluation_graph(graph::Graph network, const std::vector<std::string>& learnt);

/// 64 bits that the network's nodes, types and constants decide.
std::uint64_t fingerprint(const graph::Graph& network);

}  // namespace weft::training
