// The values of a network while it runs on a device: each lies in the device's memory, in the
// processor's, or in both, and is copied when it is asked for where it is not yet. Values are never
// changed, so that several may share memory.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

class Values {
 public:
  Values(const graph::Graph& graph, Device& device)
      : graph_(graph), device_(device), values_(graph.values.size()) {}

  /// A constant is made if it is not there.
  const graph::Tensor& on_host(graph::ValueId id);
  const Memory& on_device(graph::ValueId id);

  void set(graph::ValueId id, graph::Tensor tensor);
  void set(graph::ValueId id, Memory memory);
  /// `to` gets the elements of `from`, wherever they lie, under its own shape.
  void share(graph::ValueId from, graph::ValueId to);
  /// The same as set(), but what is on the device already stays if `tensor` is the one set last:
  /// the very elements, not equal ones.
  void renew(graph::ValueId id, const graph::Tensor& tensor);
  void drop(graph::ValueId id) { values_[id] = {}; }

 private:
  struct Value {
    std::optional<graph::Tensor> tensor;
    Memory memory;
  };

  const graph::Graph& graph_;
  Device& device_;
  std::vector<Value> values_;
};

}  // namespace weft::cuda
