// Runs the graphs of training. A step runs the gradients, then the update. A backend prepares each
// graph once (for example, compiles it). Every run of it gets all inputs by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::training {

using NamedTensors = std::map<std::string, graph::Tensor>;

enum class PassKind : std::uint8_t {
  kGradients,   // forward, loss and backward
  kUpdate,      // the optimizer
  kEvaluation,  // forward only
};

/// One graph to run.
struct PassGraph {
  PassKind pass = PassKind::kGradients;
  graph::Graph graph;
  /// The inputs for the network's learned constants, which a backend may treat as weights. Empty
  /// for the update, where parameters are ordinary operands.
  std::vector<std::string> weights;
};

/// Maps inputs by name to outputs by name.
using Executor = std::function<NamedTensors(const NamedTensors& inputs)>;
/// Prepares a graph to run. Throws InputError if the backend cannot run it.
using Backend = std::function<Executor(PassGraph graph)>;

}  // namespace weft::training
