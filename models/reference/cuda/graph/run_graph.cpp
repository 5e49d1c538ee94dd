#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {

using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

struct DeviceGraphRunner::State {
  State(const graph::Graph& given, std::shared_ptr<Device> on, DeviceRunOptions options)
      : graph(given),
        device(std::move(on)),
        settings(std::move(options)),
        values(given, *device),
        use_counts(graph::use_counts(given)),
        is_input(given.values.size(), false) {
    for (const ValueId id : given.inputs) is_input[id] = true;
    for (const Node& node : given.nodes) operators.push_back(find_operator(given, node));
  }

  // Inputs and, with keep_constants, constants stay for the next run.
  bool stays(ValueId id) const {
    return is_input[id] || (settings.keep_constants && graph.is_constant(id));
  }

  const graph::Graph& graph;
  std::shared_ptr<Device> device;
  DeviceRunOptions settings;
  Values values;
  std::vector<std::size_t> use_counts;                // by value
  std::vector<bool> is_input;                         // by value
  std::vector<const DeviceOperator*> operators = {};  // by node; null: runs on the CPU reference
};

// One run.
class DeviceGraphRunner::Run {
 public:
  explicit Run(State& state) : state_(state), uses_left_(state.use_counts) {
    for (ValueId id = 0; id < state.graph.values.size(); ++id) {
      if (!state.stays(id)) state.values.drop(id);  // left over from a failed run
    }
  }

  NamedTensors operator()(const NamedTensors& inputs) {
    take_inputs(inputs);
    for (std::size_t i = 0; i < state_.graph.nodes.size(); ++i) run(i);
    NamedTensors outputs;
    for (const graph::Output& output : state_.graph.outputs) {
      outputs.insert_or_assign(output.name, state_.values.on_host(output.value));
    }
    return outputs;
  }

 private:
  void take_inputs(const NamedTensors& inputs) {
    reference::check_names(state_.graph, inputs);
    for (const ValueId id : state_.graph.inputs) {
      const graph::Value& value = state_.graph.values[id];
      const Tensor& given = reference::given_input(state_.graph, value, inputs);
      if (given.value_type() != value.type)
        reference::throw_wrong_input(state_.graph, value, given);
      state_.values.renew(id, given);
    }
  }

  void run(std::size_t i) {
    const Node& node = state_.graph.nodes[i];
    try {
      run(node, state_.operators[i]);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", node_label(node), error.what()));
    } catch (const std::bad_alloc&) {
      throw InputError(node_label(node) + ": not enough memory for its result");
    }
    if (state_.settings.observer) observe(node);
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && --uses_left_[id] == 0 && !state_.stays(id)) state_.values.drop(id);
    }
    for (const ValueId id : node.outputs) {
      if (id != kNoValue && uses_left_[id] == 0) state_.values.drop(id);
    }
  }

  void run(const Node& node, const DeviceOperator* on_device) {
    if (on_device == nullptr) return run_on_cpu(node);
    NodeRun run(state_.graph, node, state_.values, *state_.device, state_.settings.matmul);
    on_device->run(run);
  }

  void run_on_cpu(const Node& node) {
    std::vector<const Tensor*> inputs(node.inputs.size(), nullptr);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (node.inputs[i] != kNoValue) inputs[i] = &state_.values.on_host(node.inputs[i]);
    }
    const std::vector<graph::ValueType> types = output_types(state_.graph, node);
    std::vector<Tensor> results = reference::evaluate({node.op, node.attributes, inputs, types});
    for (std::size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) {
      if (node.outputs[i] != kNoValue) state_.values.set(node.outputs[i], std::move(results[i]));
    }
  }

  void observe(const Node& node) {
    std::vector<Tensor> outputs;
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) outputs.push_back(state_.values.on_host(id));
    }
    state_.settings.observer(node, outputs);
  }

  State& state_;
  std::vector<std::size_t> uses_left_;
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
  return Run(*state_)(inputs);
}

std::vector<std::string> DeviceGraphRunner::cpu_nodes() const {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < state_->operators.size(); ++i) {
    if (state_->operators[i] == nullptr) labels.push_back(node_label(state_->graph.nodes[i]));
  }
  return labels;
}

}  // namespace weft::cuda
