// Runs a network on the CPU reference: node by node in the graph's order. A value lives from where
// it is made to its last use; a constant is made at its first.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/reference/cpu/graph_inputs.h"

namespace weft::reference {

struct RunGraphOptions {
  /// Every float16 and float32 value, constants included, is float64 instead: what the network
  /// would give without rounding. Only what ONNX defines for float32 alone (scales, what is
  /// quantised, what was dequantised) is computed in float32.
  bool double_precision = false;

  /// Called after each node with its outputs in the node's order, those included that nobody wants.
  std::function<void(const graph::Node& node, std::span<const graph::Tensor> outputs)> observer =
      {};

  /// Keep the constants from one run to the next (GraphRunner). Without, each is dropped after its
  /// last use and made again by the next run.
  bool keep_constants = false;
};

class GraphRunner {
 public:
  /// `graph` must live as long as the runner and be as graph::check() wants it.
  explicit GraphRunner(const graph::Graph& graph, RunGraphOptions options = {});
  explicit GraphRunner(graph::Graph&& graph, RunGraphOptions options = {}) = delete;

  /// The graph's outputs by name. `inputs` are the graph's inputs by name, with their types and
  /// shapes (with double_precision float64 will do too). Throws InputError: an input that is
  /// missing, unknown, or of a wrong type or shape; `node 'NAME' (OP): what` for elements that an
  /// operator does not take.
  NamedTensors run(const NamedTensors& inputs);

 private:
  class Run;

  const graph::Graph& graph_;
  RunGraphOptions options_;
  std::vector<std::size_t> use_counts_;                  // by value
  std::vector<std::optional<graph::Tensor>> constants_;  // by value; those that are kept
};

/// One run of a GraphRunner.
NamedTensors run_graph(const graph::Graph& graph, const NamedTensors& inputs,
                       RunGraphOptions options = {});

}  // namespace weft::reference
