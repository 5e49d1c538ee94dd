#include "models/training/cpu_backend.h"

#include <memory>
#include <utility>

#include "models/reference/cpu/run_graph.h"

namespace weft::training {
namespace {

struct Prepared {
  explicit Prepared(graph::Graph network)
      : graph(std::move(network)), runner(graph, {.keep_constants = true}) {}

  graph::Graph graph;
  reference::GraphRunner runner;
};

}  // namespace

Executor prepare_on_cpu(PassGraph graph) {
  const auto prepared = std::make_shared<Prepared>(std::move(graph.graph));
  return [prepared](const NamedTensors& inputs) { return prepared->runner.run(inputs); };
}

}  // namespace weft::training
