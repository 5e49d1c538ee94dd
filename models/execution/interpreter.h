// Runs a network on a device, node by node in the graph's order. A value is dropped after its last
// use. This is the only interpreter of graphs; what runs a network elsewhere (a compiled program, a
// check of single layers) does not walk the graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/execution/graph_device.h"

namespace weft::execution {

using NamedTensors = std::map<std::string, graph::Tensor>;

class Interpreter {
 public:
  /// `graph` and `device` must outlive the interpreter, and `graph` must pass graph::check().
  Interpreter(const graph::Graph& graph, GraphDevice& device, Observer observer = {});
  /// The same if a caller computes some of the nodes: `use_counts` tells for each value how often
  /// run_node() and the graph's outputs use it.
  Interpreter(const graph::Graph& graph, GraphDevice& device, Observer observer,
              std::vector<std::size_t> use_counts);

  /// Returns the graph's outputs by name. `inputs` holds the graph's inputs by name, with their
  /// types and shapes; values that the device holds in another type may have that one. Throws
  /// InputError if an input is missing, unknown, or of a wrong type or shape; also `node 'NAME'
  /// (OP): what` if an operator does not accept its elements or if there is no memory left.
  NamedTensors run(const NamedTensors& inputs);

  // The steps of run(), for a caller that computes some of the nodes.

  /// Drops what an earlier run has left, and takes the inputs.
  void begin(const NamedTensors& inputs);
  void run_node(const graph::Node& node);
  NamedTensors outputs();

 private:
  void take_input(const graph::Value& value, graph::ValueId id, const NamedTensors& inputs);
  void drop_used(const graph::Node& node);

  const graph::Graph& graph_;
  GraphDevice& device_;
  const Observer observer_;
  const std::vector<std::size_t> use_counts_;  // by value
  std::vector<std::size_t> uses_left_;         // by value, in this run
};

}  // namespace weft::execution
