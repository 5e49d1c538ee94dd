// Where the values of a network are while it runs, and what computes its nodes: the interface
// through which the interpreter (interpreter.h) runs a network on a processor, on a CUDA device, or
// the host's nodes of a simulated run.
#pragma once

#include <functional>
#include <span>

#include "compiler/graph/graph.h"

namespace weft::execution {

/// Receives a node with its outputs, in the node's order.
using Observer =
    std::function<void(const graph::Node& node, std::span<const graph::Tensor> outputs)>;

class GraphDevice {
 public:
  GraphDevice() = default;
  GraphDevice(const GraphDevice&) = delete;
  GraphDevice& operator=(const GraphDevice&) = delete;
  virtual ~GraphDevice() = default;

  /// Moves a value to the device.
  virtual void set(graph::ValueId id, const graph::Tensor& tensor) = 0;
  /// A value, or a constant, in the host's memory.
  virtual graph::Tensor get(graph::ValueId id) = 0;
  /// Computes the outputs of a node of the graph, whose inputs are constants or values that the
  /// device has. Shows them to `observer` unless it is empty. Throws InputError, without the node's
  /// name, if the operator does not accept the elements.
  virtual void run(const graph::Node& node, const Observer& observer) = 0;
  /// Frees a value. Does nothing if the device does not have it.
  virtual void drop(graph::ValueId id) = 0;

  /// True for a value that stays for the next run, such as a constant that cannot change.
  virtual bool keeps(graph::ValueId id) const = 0;
  /// The type in which the device holds values of `type`.
  virtual graph::DataType held_type(graph::DataType type) const { return type; }
};

}  // namespace weft::execution
