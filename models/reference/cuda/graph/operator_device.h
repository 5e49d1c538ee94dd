// A device of the interpreter (models/execution/interpreter.h): values in a device's memory, nodes
// by its operators. A node without an operator runs on the CPU reference.
#pragma once

#include <memory>
#include <vector>

#include "models/execution/graph_device.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {

class OperatorDevice final : public execution::GraphDevice {
 public:
  /// `graph` must outlive the device. `matmul`: the arithmetic of products. `keep_constants`:
  /// constants stay for the next run.
  OperatorDevice(const graph::Graph& graph, std::shared_ptr<Device> device, MatmulType matmul,
                 bool keep_constants);

  void set(graph::ValueId id, const graph::Tensor& tensor) override { values_.renew(id, tensor); }
  graph::Tensor get(graph::ValueId id) override { return values_.on_host(id); }
  void run(const graph::Node& node, const execution::Observer& observer) override;
  void drop(graph::ValueId id) override { values_.drop(id); }
  /// An input stays in case the next run gives the same tensor.
  bool keeps(graph::ValueId id) const override {
    return is_input_[id] || (keep_constants_ && graph_.is_constant(id));
  }

  /// Null for a node of the graph that runs on the CPU reference.
  const DeviceOperator* operator_of(const graph::Node& node) const {
    return operators_[static_cast<std::size_t>(&node - graph_.nodes.data())];
  }

 private:
  void run_on_cpu(const graph::Node& node);

  const graph::Graph& graph_;
  const std::shared_ptr<Device> device_;
  const MatmulType matmul_;
  const bool keep_constants_;
  DeviceValues values_;
  std::vector<bool> is_input_;                         // by value
  std::vector<const DeviceOperator*> operators_ = {};  // by node
};

}  // namespace weft::cuda
