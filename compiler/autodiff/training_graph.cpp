#include "compiler/autodiff/training_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/autodiff/differentiate.h"
#include "compiler/graph/learned.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"

namespace weft::autodiff {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::Node;

[[noreturn]] void refuse(const Graph& network, const std::string& what) {
  throw InputError(fmt::format("network '{}': training: {}", graph::one_line(network.name), what));
}

void expect_logits(const Graph& network) {
  if (network.outputs.size() != 1) {
    refuse(network, fmt::format("it has {} outputs; one output, logits [batch, classes], is needed",
                                network.outputs.size()));
  }
  const graph::Output& output = network.outputs[0];
  const graph::ValueType& type = network.type(output.value);
  if (type.type == DataType::kFloat32 && type.shape.size() == 2) return;
  refuse(network, fmt::format("output '{}' is {}; logits, float32 [batch, classes], are needed",
                              graph::one_line(output.name), to_string(type)));
}

/// The logits: the network's output, or the input of the Softmax that makes it.
ValueId logits_of(const Graph& network) {
  const ValueId output = network.outputs[0].value;
  const std::size_t producer = producers(network)[output];
  if (producer == graph::kNoProducer) return output;
  const Node& node = network.nodes[producer];
  const bool is_softmax = node.op == Op::kSoftmax &&
                          graph::normalized_axis(node.attributes.integer("axis", -1), 2) == 1;
  return is_softmax ? node.inputs[0] : output;
}

/// The learned constants. Refuses the network if one is not float32.
std::vector<ValueId> learned_values(const Graph& network) {
  std::vector<ValueId> learned = learned_constants(network);
  for (const ValueId id : learned) {
    const graph::Value& value = network.values[id];
    if (value.type.type == DataType::kFloat32) continue;
    refuse(network, fmt::format("constant '{}' is {}; only float32 can be learned, so give the "
                                "network before its conversion",
                                graph::one_line(value.name), to_string(value.type)));
  }
  if (learned.empty()) refuse(network, "it has no constants to learn");
  return learned;
}

std::string free_name(const Graph& network, const std::string& wanted) {
  std::string name = wanted;
  const auto taken = [&](const graph::Value& value) { return value.name == name; };
  while (std::ranges::any_of(network.values, taken)) name.insert(0, "training/");
  return name;
}

/// The mean over the batch of -sum over the classes of target * log(softmax(logits)).
ValueId loss_of(Builder& builder, ValueId logits, ValueId targets, double batch) {
  Emitter emit(builder, "loss");
  const ValueId logarithms = emit.add(Op::kLogSoftmax, {logits}, {{"axis", std::int64_t{1}}});
  const ValueId sum = emit.reduce_sum(emit.mul(targets, logarithms), {0, 1}, false);
  return emit.divided(sum, -batch);
}

/// The gradient of the loss, times `factor`. It needs no logarithm and cannot overflow.
ValueId loss_gradient(Builder& builder, ValueId logits, ValueId targets, double factor) {
  Emitter emit(builder, "gradient/loss");
  const ValueId softmax = emit.add(Op::kSoftmax, {logits}, {{"axis", std::int64_t{1}}});
  return emit.scaled(emit.add(Op::kSub, {softmax, targets}), factor);
}

}  // namespace

TrainingGraph training_graph(const Graph& network, const TrainingOptions& options) {
  expect_logits(network);
  const ValueId source = logits_of(network);
  const std::vector<ValueId> learned = learned_values(network);
  Builder builder(network.name);
  Differentiator differentiator(network, builder, learned, {source});
  TrainingGraph result;
  result.targets = free_name(network, "targets");
  result.logits = network.outputs[0].name;
  const ValueId logits = differentiator.value(source);
  const ValueId targets = builder.input(result.targets, network.type(source));
  builder.output(logits, result.logits);
  const auto batch = static_cast<double>(network.type(source).shape[0]);
  if (options.loss_output) {
    result.loss = result.logits == "loss" ? "training/loss" : "loss";
    builder.output(loss_of(builder, logits, targets, batch), result.loss);
  }
  const ValueId seed = loss_gradient(builder, logits, targets, double{options.loss_scale} / batch);
  const std::vector<ValueId> gradients = differentiator.backward({seed});
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const graph::Value& value = network.values[learned[i]];
    result.parameters.push_back(
        {value.name, value.type, value.constant.value(), "gradient/" + value.name});
    builder.output(gradients[i], result.parameters.back().gradient);
  }
  for (const RunningStatistic& statistic : differentiator.statistics()) {
    const graph::Value& value = network.values[statistic.source];
    result.statistics.push_back(
        {value.name, value.type, value.constant.value(), "updated/" + value.name});
    builder.output(statistic.updated, result.statistics.back().updated);
  }
  result.graph = builder.finish();
  return result;
}

}  // namespace weft::autodiff
