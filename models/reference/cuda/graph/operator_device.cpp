#include "models/reference/cuda/graph/operator_device.h"

#include <algorithm>
#include <utility>

#include "compiler/graph/shapes/infer_outputs.h"
#include "models/reference/cpu/evaluate.h"

namespace weft::cuda {

using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

OperatorDevice::OperatorDevice(const graph::Graph& graph, std::shared_ptr<Device> device,
                               MatmulType matmul, bool keep_constants)
    : graph_(graph),
      device_(std::move(device)),
      matmul_(matmul),
      keep_constants_(keep_constants),
      values_(graph, *device_),
      is_input_(graph.values.size(), false) {
  for (const ValueId id : graph.inputs) is_input_[id] = true;
  for (const Node& node : graph.nodes) operators_.push_back(find_operator(graph, node));
}

void OperatorDevice::run(const Node& node, const execution::Observer& observer) {
  if (const DeviceOperator* on_device = operator_of(node)) {
    NodeRun run(graph_, node, values_, *device_, matmul_);
    on_device->run(run);
  } else {
    run_on_cpu(node);
  }
  if (!observer) return;
  std::vector<Tensor> outputs;
  for (const ValueId id : node.outputs) {
    if (id != kNoValue) outputs.push_back(values_.on_host(id));
  }
  observer(node, outputs);
}

void OperatorDevice::run_on_cpu(const Node& node) {
  std::vector<const Tensor*> inputs(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue) inputs[i] = &values_.on_host(node.inputs[i]);
  }
  const std::vector<graph::ValueType> types = output_types(graph_, node);
  std::vector<Tensor> results = reference::evaluate({node.op, node.attributes, inputs, types});
  for (std::size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) {
    if (node.outputs[i] != kNoValue) values_.set(node.outputs[i], std::move(results[i]));
  }
}

}  // namespace weft::cuda
