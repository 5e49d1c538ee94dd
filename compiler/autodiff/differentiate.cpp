#include "compiler/autodiff/differentiate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/autodiff/normalization.h"
#include "compiler/autodiff/rules.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/operator_table.h"

namespace weft::autodiff {

using graph::Builder;
using graph::Graph;
using graph::kNoValue;
using graph::Node;

Differentiator::Differentiator(const Graph& network, Builder& builder,
                               const std::vector<ValueId>& wrt, const std::vector<ValueId>& targets)
    : network_(network),
      builder_(builder),
      wrt_(wrt),
      targets_(targets),
      used_(network.values.size()),
      values_(network.values.size(), kNoValue) {
  find_used();
  declare_inputs();
  for (const Node& node : network_.nodes) {
    const auto wanted = [&](ValueId id) { return id != kNoValue && used_[id]; };
    if (std::ranges::any_of(node.outputs, wanted)) copy(node);
  }
  for (const ValueId target : targets_) copied(target);
}

void Differentiator::find_used() {
  for (const ValueId target : targets_) used_[target] = true;
  for (auto node = network_.nodes.rbegin(); node != network_.nodes.rend(); ++node) {
    const auto wanted = [&](ValueId id) { return id != kNoValue && used_[id]; };
    if (std::ranges::none_of(node->outputs, wanted)) continue;
    for (const ValueId input : node->inputs) {
      if (input != kNoValue) used_[input] = true;
    }
  }
}

void Differentiator::declare_inputs() {
  const auto declare = [&](ValueId source) {
    const graph::Value& value = network_.values[source];
    if (values_[source] == kNoValue) values_[source] = builder_.input(value.name, value.type);
  };
  std::ranges::for_each(network_.inputs, declare);
  for (const ValueId source : wrt_) {
    declare(source);
    needed_.resize(values_[source] + 1);
    needed_[values_[source]] = true;
  }
}

// Makes a constant at its first use. Any other value has already been copied.
ValueId Differentiator::copied(ValueId source) {
  if (source == kNoValue) return kNoValue;
  ValueId& value = values_[source];
  if (value == kNoValue) {
    const graph::Value& original = network_.values[source];
    value = builder_.constant(original.constant.value(), original.name);
  }
  return value;
}

std::vector<ValueId> Differentiator::copied_inputs(const Node& node) {
  std::vector<ValueId> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(copied(input));
  return inputs;
}

void Differentiator::copy(const Node& node) {
  if (node.op == Op::kBatchNormalization) return copy_batch_normalization(node);
  std::vector<ValueId> inputs = copied_inputs(node);
  const auto needed = [&](ValueId id) {
    return id != kNoValue && id < needed_.size() && needed_[id];
  };
  if (has(node.op, graph::Trait::kNormalization) && std::ranges::any_of(inputs, needed)) {
    ForwardNode step = training_form(builder_, node, std::move(inputs));
    values_[node.outputs[0]] = step.node.outputs[0];
    return keep(std::move(step));
  }
  std::vector<std::string> names;
  for (const ValueId output : node.outputs) {
    names.push_back(output == kNoValue ? "" : network_.values[output].name);
  }
  ForwardNode step{{node.op, node.name, inputs, {}, node.attributes}};
  step.node.outputs = builder_.add(node.op, std::move(inputs), node.attributes, node.name, names);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) values_[node.outputs[i]] = step.node.outputs[i];
  }
  keep(std::move(step));
}

void Differentiator::copy_batch_normalization(const Node& node) {
  constexpr std::size_t kMean = 3;
  constexpr std::size_t kVariance = 4;
  for (const std::size_t i : {kMean, kVariance}) {
    const graph::Value& value = network_.values[node.inputs[i]];
    if (values_[node.inputs[i]] != kNoValue || !value.constant) {
      throw InputError(fmt::format(
          "{}: training: its running mean and variance must be constants that no other node "
          "uses, but '{}' is not",
          node_label(node), graph::one_line(value.name)));
    }
    values_[node.inputs[i]] = builder_.input(value.name, value.type);
  }
  const TrainedBatchNorm trained = train_batch_norm(builder_, node, copied_inputs(node));
  values_[node.outputs[0]] = trained.step.node.outputs[0];
  statistics_.push_back({node.inputs[kMean], trained.mean});
  statistics_.push_back({node.inputs[kVariance], trained.variance});
  keep(trained.step);
}

// The gradient of an output is needed if its type is floating-point and if the gradient of one of
// the node's inputs is needed.
void Differentiator::keep(ForwardNode step) {
  needed_.resize(builder_.graph().values.size());
  const auto needed = [&](ValueId id) { return id != kNoValue && needed_[id]; };
  if (std::ranges::none_of(step.node.inputs, needed)) return;
  for (const ValueId output : step.node.outputs) {
    if (output != kNoValue) needed_[output] = graph::is_float(builder_.type(output).type);
  }
  steps_.push_back(std::move(step));
}

void Differentiator::add_gradient(ValueId value, ValueId gradient) {
  if (gradient != kNoValue) gradients_[value].push_back(gradient);
}

ValueId Differentiator::sum_of(ValueId value) {
  std::vector<ValueId>& parts = gradients_[value];
  if (parts.empty()) return kNoValue;
  Emitter emitter(builder_, "gradient/" + builder_.graph().values[value].name);
  ValueId sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) sum = emitter.add(Op::kAdd, {sum, parts[i]});
  parts = {sum};
  return sum;
}

void Differentiator::differentiate(const ForwardNode& step) {
  std::vector<ValueId> gradients;
  for (const ValueId output : step.node.outputs) {
    gradients.push_back(output == kNoValue ? kNoValue : sum_of(output));
  }
  const auto arrives = [](ValueId gradient) { return gradient != kNoValue; };
  if (std::ranges::none_of(gradients, arrives)) return;
  NodeGradient node(builder_, step, needed_, std::move(gradients));
  const RuleEntry& rule = rule_of(step.node.op);
  if (!rule.function) node.refuse("the operator has no gradient; replace or remove it");
  (*rule.function)(node);
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (node.needs(i)) add_gradient(step.node.inputs[i], node.given()[i]);
  }
}

std::vector<ValueId> Differentiator::backward(const std::vector<ValueId>& seeds) {
  needed_.resize(builder_.graph().values.size());
  gradients_.resize(needed_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) add_gradient(value(targets_[i]), seeds[i]);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) differentiate(*step);
  std::vector<ValueId> results;
  for (const ValueId source : wrt_) {
    ValueId gradient = sum_of(value(source));
    if (gradient == kNoValue) {
      Emitter emitter(builder_, "gradient/" + network_.values[source].name);
      gradient = emitter.zeros(network_.type(source));
    }
    results.push_back(gradient);
  }
  return results;
}

namespace {

ValueId named(const Graph& network, const std::string& name) {
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const graph::Value& value = network.values[id];
    if (value.name != name) continue;
    if (value.constant || std::ranges::count(network.inputs, id) != 0) return id;
  }
  throw InputError(fmt::format("network '{}': there is no input or constant '{}'",
                               graph::one_line(network.name), graph::one_line(name)));
}

}  // namespace

Graph gradient_graph(const Graph& network, const std::vector<std::string>& wrt) {
  std::vector<ValueId> sources;
  for (const std::string& name : wrt) sources.push_back(named(network, name));
  std::vector<ValueId> targets;
  for (const graph::Output& output : network.outputs) targets.push_back(output.value);
  Builder builder(network.name);
  Differentiator differentiator(network, builder, sources, targets);
  std::vector<ValueId> seeds;
  for (const graph::Output& output : network.outputs) {
    builder.output(differentiator.value(output.value), output.name);
    seeds.push_back(builder.input("seed/" + output.name, network.type(output.value)));
  }
  const std::vector<ValueId> gradients = differentiator.backward(seeds);
  for (std::size_t i = 0; i < wrt.size(); ++i) builder.output(gradients[i], "gradient/" + wrt[i]);
  return builder.finish();
}

}  // namespace weft::autodiff
