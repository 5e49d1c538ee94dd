// Checks whole networks, node by node.
#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "models/reference/cuda/checks/operator_checks.h"

namespace weft::cuda {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

/// Number of terms in a sum of the node's result: its products plus the added terms.
std::int64_t depth_of(const Graph& graph, const Node& node) {
  const Shape& a = graph.type(node.inputs[0]).shape;
  const Shape& b = graph.type(node.inputs[1]).shape;
  using enum graph::Product::Form;
  switch (operator_of(node.op).product.form) {
    case kMatrices:
      return a.back() + 2;
    case kGemm:
      return a[node.attributes.integer("transA", 0) != 0 ? 0 : 1] + 3;
    case kConvolution:
      return graph::element_count({b.begin() + 1, b.end()}) + 2;
    case kTransposedConvolution:
      return graph::element_count(b) / b[1] / node.attributes.integer("group", 1) + 1;
    case kRecurrent:
    case kNone:
      break;
  }
  throw InputError(std::string(to_string(node.op)) + " is no single product");
}

/// A case of this node alone, with the values that its inputs had.
OperatorCase case_of(const Graph& graph, const Node& node,
                     const std::map<ValueId, Tensor>& values) {
  CaseBuilder builder(node.op);
  for (const auto& [name, value] : node.attributes.entries()) builder.set(name, value);
  for (const ValueId id : node.inputs) {
    if (id == graph::kNoValue) {
      builder.none();
      continue;
    }
    const auto seen = values.find(id);
    const Tensor tensor =
        seen != values.end() ? seen->second : graph.values[id].constant.value().tensor();
    // Other types say where elements go, so they must be known before the node runs.
    const bool number = tensor.type() == DataType::kFloat32 || tensor.type() == DataType::kBool;
    number ? builder.input(tensor) : builder.constant(tensor);
  }
  if (closeness_of(node.op) == Closeness::kProduct) builder.depth(depth_of(graph, node));
  return builder.build(node.outputs.size());
}

/// Records the values of all nodes as the device computed them.
class Recorder {
 public:
  explicit Recorder(const NamedTensors& inputs, const Graph& graph) {
    for (const ValueId id : graph.inputs) values_[id] = inputs.at(graph.values[id].name);
  }
  void operator()(const Node& node, std::span<const Tensor> outputs) {
    std::size_t next = 0;
    for (const ValueId id : node.outputs) {
      if (id != graph::kNoValue) values_[id] = outputs[next++];
    }
  }
  const std::map<ValueId, Tensor>& values() const { return values_; }

 private:
  std::map<ValueId, Tensor> values_;
};

std::string node_difference(const Graph& graph, const Node& node,
                            const std::map<ValueId, Tensor>& values, MatmulType matmul) {
  NamedTensors actual;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    actual[std::string(1, static_cast<char>('p' + i))] = values.at(node.outputs[i]);
  }
  const std::string problem = difference(case_of(graph, node, values), actual, matmul);
  return problem.empty() ? "" : fmt::format("{}: {}", node_label(node), problem);
}

}  // namespace

Outcome check_network(const std::string& name, const Graph& graph, const NamedTensors& inputs,
                      const std::shared_ptr<Device>& device, MatmulType matmul) {
  Outcome outcome{fmt::format("{} in {}", name, to_string(matmul)), false, ""};
  try {
    Recorder recorder(inputs, graph);
    DeviceRunOptions options;
    options.matmul = matmul;
    options.observer = [&](const Node& node, std::span<const Tensor> outputs) {
      recorder(node, outputs);
    };
    DeviceGraphRunner runner(graph, device, options);
    runner.run(inputs);
    for (const Node& node : graph.nodes) {
      outcome.detail = node_difference(graph, node, recorder.values(), matmul);
      if (!outcome.detail.empty()) return outcome;
    }
    outcome.passed = true;
    outcome.detail = fmt::format("{} nodes, {} of them on the CPU reference", graph.nodes.size(),
                                 runner.cpu_nodes().size());
  } catch (const InputError& error) {
    outcome.detail = error.what();
  }
  return outcome;
}

namespace {

/// Builds the graph of a training step, with random values for its inputs.
class StepBuilder {
 public:
  explicit StepBuilder(std::uint64_t seed) : generator_(seed) {}

  ValueId input(const std::string& name, const Shape& shape, float scale = 1.0F) {
    Tensor tensor = random_tensor(generator_, shape);
    for (float& element : tensor.mutable_data<float>()) element *= scale;
    inputs_[name] = tensor;
    return builder_.input(name, tensor.value_type());
  }
  /// One-hot rows.
  ValueId targets(std::int64_t rows, std::int64_t classes) {
    Tensor tensor(DataType::kFloat32, {rows, classes});
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t label = between(generator_, 0, classes - 1);
      tensor.mutable_data<float>()[static_cast<std::size_t>(row * classes + label)] = 1;
    }
    inputs_["targets"] = tensor;
    return builder_.input("targets", tensor.value_type());
  }
  ValueId number(float value) { return builder_.constant(Tensor::scalar(value)); }
  ValueId add(Op op, std::vector<ValueId> inputs, graph::Attributes attributes = {}) {
    return builder_.add(op, std::move(inputs), std::move(attributes));
  }
  ValueId transposed(ValueId x) {
    return add(Op::kTranspose, {x}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  }
  ValueId column_sums(ValueId x) {
    const ValueId axis = builder_.constant(Tensor::vector<std::int64_t>({0}));
    return add(Op::kReduceSum, {x, axis}, {{"keepdims", std::int64_t{0}}});
  }
  /// velocity = 0.9 velocity + gradient + 0.001 value; value -= 0.1 velocity.
  void update(const std::string& name, ValueId value, ValueId gradient, const Shape& shape) {
    const ValueId velocity = input("velocity/" + name, shape, 0.01F);
    const ValueId decayed = add(Op::kAdd, {gradient, add(Op::kMul, {value, number(0.001F)})});
    const ValueId moved = add(Op::kAdd, {add(Op::kMul, {velocity, number(0.9F)}), decayed});
    builder_.output(moved, "updated/velocity/" + name);
    builder_.output(add(Op::kSub, {value, add(Op::kMul, {moved, number(0.1F)})}),
                    "updated/" + name);
  }
  void output(ValueId value, const std::string& name) { builder_.output(value, name); }
  TrainingStep finish() { return {builder_.finish(), inputs_}; }

 private:
  Generator generator_;
  Builder builder_{"training step"};
  NamedTensors inputs_;
};

}  // namespace

TrainingStep training_step(std::uint64_t seed) {
  constexpr std::int64_t kBatch = 16;
  StepBuilder step(seed);
  const ValueId x = step.input("x", {kBatch, 64});
  const ValueId w1 = step.input("w1", {64, 32}, 0.2F);
  const ValueId b1 = step.input("b1", {32}, 0.2F);
  const ValueId w2 = step.input("w2", {32, 10}, 0.2F);
  const ValueId b2 = step.input("b2", {10}, 0.2F);
  const ValueId sums = step.add(Op::kAdd, {step.add(Op::kMatMul, {x, w1}), b1});
  const ValueId hidden = step.add(Op::kRelu, {sums});
  const ValueId logits = step.add(Op::kAdd, {step.add(Op::kMatMul, {hidden, w2}), b2});
  step.output(logits, "logits");
  const ValueId error =
      step.add(Op::kSub, {step.add(Op::kSoftmax, {logits}), step.targets(kBatch, 10)});
  const ValueId d_logits = step.add(Op::kMul, {error, step.number(1.0F / kBatch)});
  const ValueId d_hidden = step.add(Op::kMatMul, {d_logits, step.transposed(w2)});
  const ValueId active = step.add(Op::kGreater, {sums, step.number(0)});
  const ValueId d_sums = step.add(Op::kWhere, {active, d_hidden, step.number(0)});
  step.update("w1", w1, step.add(Op::kMatMul, {step.transposed(x), d_sums}), {64, 32});
  step.update("b1", b1, step.column_sums(d_sums), {32});
  step.update("w2", w2, step.add(Op::kMatMul, {step.transposed(hidden), d_logits}), {32, 10});
  step.update("b2", b2, step.column_sums(d_logits), {10});
  return step.finish();
}

}  // namespace weft::cuda
