// What runs the graphs of training: one step is a run of the gradients, then of the update. A
// backend prepares each graph once (compiles it, say) and runs it as often as it is called, with
// all inputs given by name each time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::training {

using NamedTensors = std::map<std::string, graph::Tensor>;

enum class Pass : std::uint8_t {
  kGradients,   // forward, loss and backward
  kUpdate,      // the optimiser
  kEvaluation,  // forward alone
};

/// One graph to run.
struct PassGraph {
  Pass pass = Pass::kGradients;
  graph::Graph graph;
  /// The inputs by which the network's learnt constants enter: a backend may take them for weights.
  /// None in the update, where parameters are operands like any other.
  std::vector<std::string> weights;
};

/// Inputs by name to outputs by name.
using Executor = std::function<NamedTensors(const NamedTensors& inputs)>;
/// Makes a graph ready to run. Throws InputError for what the backend cannot run.
using Backend = std::function<Executor(PassGraph graph)>;

}  // namespace weft::training
