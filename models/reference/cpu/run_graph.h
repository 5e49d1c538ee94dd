// Runs a network on the CPU reference, node by node in the graph's order. A value is dropped after
// its last use; a constant is made at its first.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/reference/cpu/graph_inputs.h"

namespace weft::reference {

struct RunGraphOptions {
  /// Every float16 and float32 value, constants included, is float64 instead: the network's results
  /// without float32 rounding. Only operands that ONNX defines for float32 alone (scales, quantized
  /// inputs, dequantized outputs) are computed in float32.
  bool double_precision = false;

  /// Called after each node with its outputs in the node's order, including unused ones.
  std::function<void(const graph::Node& node, std::span<const graph::Tensor> outputs)> observer =
      {};

  /// Keeps the constants from one run to the next (GraphRunner). Otherwise each is dropped after
  /// its last use and made again by the next run.
  bool keep_constants = false;
};

class GraphRunner {
 public:
  /// `graph` must outlive the runner and pass graph::check().
  explicit GraphRunner(const graph::Graph& graph, RunGraphOptions options = {});
  explicit GraphRunner(graph::Graph&& graph, RunGraphOptions options = {}) = delete;

  /// Returns the graph's outputs by name. `inputs` holds the graph's inputs by name, with their
  /// types and shapes; with double_precision, float64 is accepted too. Throws InputError if an
  /// input is missing, unknown, or of a wrong type or shape; also `node 'NAME' (OP): what` if an
  /// operator does not accept its elements.
  NamedTensors run(const NamedTensors& inputs);

 private:
  class Run;

  const graph::Graph& graph_;
  RunGraphOptions options_;
  std::vector<std::size_t> use_counts_;                  // by value
  std::vector<std::optional<graph::Tensor>> constants_;  // by value; with keep_constants
};

/// One run of a GraphRunner.
NamedTensors run_graph(const graph::Graph& graph, const NamedTensors& inputs,
                       RunGraphOptions options = {});

}  // namespace weft::reference
