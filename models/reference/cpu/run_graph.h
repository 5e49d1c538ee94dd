// Runs a network on the CPU reference, by the interpreter.
#pragma once

#include "models/execution/interpreter.h"
#include "models/reference/cpu/cpu_device.h"

namespace weft::reference {

using execution::NamedTensors;

struct RunGraphOptions {
  /// The network's results without float32 rounding (CpuDeviceOptions).
  bool double_precision = false;

  /// Called after each node with its outputs, including unused ones.
  execution::Observer observer = {};

  /// Keeps the constants from one run to the next (GraphRunner).
  bool keep_constants = false;
};

class GraphRunner {
 public:
  /// `graph` must outlive the runner and pass graph::check().
  explicit GraphRunner(const graph::Graph& graph, RunGraphOptions options = {});
  explicit GraphRunner(graph::Graph&& graph, RunGraphOptions options = {}) = delete;

  /// As Interpreter::run(). With double_precision, float64 inputs are accepted too.
  NamedTensors run(const NamedTensors& inputs) { return interpreter_.run(inputs); }

 private:
  CpuDevice device_;
  execution::Interpreter interpreter_;
};

/// One run of a GraphRunner.
NamedTensors run_graph(const graph::Graph& graph, const NamedTensors& inputs,
                       RunGraphOptions options = {});

}  // namespace weft::reference
