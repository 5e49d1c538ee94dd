// The values of a network during its run on a device. Each is in the device's memory, in the
// processor's, or in both. It is copied when it is requested where it is missing. Values never
// change, so several may share memory.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

class DeviceValues {
 public:
  DeviceValues(const graph::Graph& graph, Device& device)
      : graph_(graph), device_(device), values_(graph.values.size()) {}

  /// The value in the processor's memory. A missing constant is made.
  const graph::Tensor& on_host(graph::ValueId id);
  const Memory& on_device(graph::ValueId id);

  void set(graph::ValueId id, graph::Tensor tensor);
  void set(graph::ValueId id, Memory memory);
  /// Gives `to` the elements of `from`, on the device or not, with the shape of `to`.
  void share(graph::ValueId from, graph::ValueId to);
  /// Like set(), but keeps the copy on the device if `tensor` is the tensor set last: the same
  /// memory, not just equal elements.
  void renew(graph::ValueId id, const graph::Tensor& tensor);
  void drop(graph::ValueId id) { values_[id] = {}; }

 private:
  struct ValueCopies {
    std::optional<graph::Tensor> tensor;
    Memory memory;
  };

  const graph::Graph& graph_;
  Device& device_;
  std::vector<ValueCopies> values_;
};

}  // namespace weft::cuda
