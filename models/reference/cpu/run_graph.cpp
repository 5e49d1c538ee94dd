#include "models/reference/cpu/run_graph.h"

#include <utility>

namespace weft::reference {

GraphRunner::GraphRunner(const graph::Graph& graph, RunGraphOptions options)
    : device_(graph, {.double_precision = options.double_precision,
                      .keep_constants = options.keep_constants}),
      interpreter_(graph, device_, std::move(options.observer)) {}

NamedTensors run_graph(const graph::Graph& graph, const NamedTensors& inputs,
                       RunGraphOptions options) {
  return GraphRunner(graph, std::move(options)).run(inputs);
}

}  // namespace weft::reference
