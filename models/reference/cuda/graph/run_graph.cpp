#include <utility>

#include "base/error.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/reference/cuda/graph/operator_device.h"

namespace weft::cuda {

using graph::Node;

struct DeviceGraphRunner::State {
  State(const graph::Graph& network, std::shared_ptr<Device> on, DeviceRunOptions options)
      : graph(network),
        device(network, std::move(on), options.matmul, options.keep_constants),
        interpreter(network, device, std::move(options.observer)) {}

  const graph::Graph& graph;
  OperatorDevice device;
  execution::Interpreter interpreter;
};

DeviceGraphRunner::DeviceGraphRunner(const graph::Graph& graph, std::shared_ptr<Device> device,
                                     DeviceRunOptions options) {
  if (options.matmul == MatmulType::kInt8) {
    throw InputError("a float32 network cannot run in int8; quantize it first");
  }
  state_ = std::make_unique<State>(graph, std::move(device), std::move(options));
}

DeviceGraphRunner::~DeviceGraphRunner() = default;

NamedTensors DeviceGraphRunner::run(const NamedTensors& inputs) {
  return state_->interpreter.run(inputs);
}

std::vector<std::string> DeviceGraphRunner::cpu_nodes() const {
  std::vector<std::string> labels;
  for (const Node& node : state_->graph.nodes) {
    if (state_->device.operator_of(node) == nullptr) labels.push_back(node_label(node));
  }
  return labels;
}

}  // namespace weft::cuda
