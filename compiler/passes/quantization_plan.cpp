#include "compiler/passes/quantization_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "compiler/passes/contraction.h"
#include "sim/config/error.h"

namespace weft::passes {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::ValueId;

namespace {

bool is_float32(const Graph& graph, ValueId value) {
  return graph.type(value).type == DataType::kFloat32;
}

/// The fusing passes make what no other program reads; quantised networks are to be standard.
void expect_unfused(const Node& node) {
  const bool has_matmul_bias = node.op == Op::kMatMul && node.input(kBias) != kNoValue;
  if (!has_matmul_bias && ends_with_bias(node)) return;
  throw InputError(fmt::format("{}: quantise before biases, residuals and activations are fused",
                               graph::node_label(node)));
}

bool has_usable_bias(const Graph& graph, const Node& node) {
  const ValueId bias = node.input(kBias);
  if (bias == kNoValue) return true;
  return graph.is_constant(bias) &&
         channel_bias(node.op, *graph.values[bias].constant, graph.type(node.outputs[0]));
}

bool is_plain_gemm(const Node& node) {
  const bool plain_bias = node.input(kBias) == kNoValue || node.attributes.real("beta", 1) == 1;
  return node.attributes.integer("transA", 0) == 0 && node.attributes.real("alpha", 1) == 1 &&
         plain_bias;
}

bool can_be_quantised(const Graph& graph, const Node& node) {
  const bool right_op = node.op == Op::kConv || node.op == Op::kMatMul ||
                        (node.op == Op::kGemm && is_plain_gemm(node));
  if (!right_op || !is_float32(graph, node.outputs[0])) return false;
  const ValueId weights = node.inputs[kWeights];
  return graph.is_constant(weights) && !graph.is_constant(node.inputs[0]) &&
         channel_layout(node, graph.type(weights).shape).has_value() &&
         has_usable_bias(graph, node);
}

/// Elements are moved or compared: input and output may share a scale.
bool keeps_scale(const Node& node) {
  switch (node.op) {
    case Op::kMaxPool:
    case Op::kConcat:
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
    case Op::kTranspose:
    case Op::kSlice:
    case Op::kRelu:
    case Op::kIdentity:
      return true;
    default:
      return false;
  }
}

/// Functions of one value.
bool is_function(Op op) {
  switch (op) {
    case Op::kLeakyRelu:
    case Op::kElu:
    case Op::kSelu:
    case Op::kSigmoid:
    case Op::kHardSigmoid:
    case Op::kHardSwish:
    case Op::kTanh:
    case Op::kErf:
    case Op::kSoftplus:
      return true;
    default:
      return false;
  }
}

bool passes_through(const Node& node) {
  return keeps_scale(node) || is_function(node.op) || node.op == Op::kAdd || node.op == Op::kClip ||
         node.op == Op::kAveragePool || node.op == Op::kGlobalAveragePool;
}

/// The inputs that carry values of the network.
std::vector<ValueId> data_inputs(const Graph& graph, const Node& node) {
  std::vector<ValueId> result;
  for (const ValueId input : node.inputs) {
    if (input != kNoValue && is_float32(graph, input) && !graph.is_constant(input)) {
      result.push_back(input);
    }
  }
  return result;
}

bool is_fixed_activation(const Graph& graph, const Node& node) {
  if (node.op == Op::kRelu) return true;
  const auto is_known = [&](ValueId bound) {
    return bound == kNoValue || graph.is_constant(bound);
  };
  return node.op == Op::kClip && is_known(node.input(1)) && is_known(node.input(2));
}

/// The constant that `add` adds to each row of its other operand; kNoValue if it is none.
ValueId row_constant(const Graph& graph, const Node& add, ValueId product) {
  const ValueId other = add.inputs[add.inputs[0] == product ? 1 : 0];
  const graph::ValueType& sum = graph.type(add.outputs[0]);
  if (!graph.is_constant(other) || sum != graph.type(product)) return kNoValue;
  const auto last = static_cast<std::int64_t>(sum.shape.size()) - 1;
  return per_channel(*graph.values[other].constant, sum, last) ? other : kNoValue;
}

/// For each value the only node that uses it; null if there are none or more, or if it is an output
/// too.
std::vector<const Node*> only_users(const Graph& graph) {
  const std::vector<std::size_t> uses = graph::use_counts(graph);
  std::vector<const Node*> users(graph.values.size());
  for (const Node& node : graph.nodes) {
    for (const ValueId input : node.inputs) {
      if (input != kNoValue && uses[input] == 1) users[input] = &node;
    }
  }
  return users;
}

}  // namespace

QuantizationParameters parameters_for(const Range& range) {
  constexpr double kSteps = 255;
  const double width = static_cast<double>(range.high) - static_cast<double>(range.low);
  // Rounded up if at all: a range of subnormal numbers must not have a scale of 0.
  const float scale =
      std::max(static_cast<float>(width / kSteps), std::numeric_limits<float>::min());
  if (width == 0) return {};
  const double zero = -128 - static_cast<double>(range.low) / static_cast<double>(scale);
  return {scale, static_cast<std::int8_t>(std::clamp(std::nearbyint(zero), -128.0, 127.0))};
}

QuantizationPlan::QuantizationPlan(const Graph& graph, const CalibrationRanges& ranges)
    : products_(graph.values.size()),
      wanted_(graph.values.size()),
      inside_(graph.values.size()),
      quantised_(graph.values.size()),
      biased_(graph.values.size(), kNoValue),
      addends_(graph.values.size(), kNoValue),
      parent_(graph.values.size()),
      parameters_(graph.values.size()),
      users_(only_users(graph)) {
  std::iota(parent_.begin(), parent_.end(), ValueId{0});
  find_contractions(graph);
  for (const ValueId input : graph.inputs) quantised_[input] = wanted_[input];
  for (const Node& node : graph.nodes) spread(graph, node);
  find_parameters(graph, ranges);
  users_.clear();  // they point into `graph`
}

void QuantizationPlan::find_contractions(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (passes::is_contraction(node.op)) expect_unfused(node);
    if (!can_be_quantised(graph, node)) continue;
    products_[node.outputs[0]] = true;
    wanted_[node.inputs[0]] = true;
    find_tail(graph, node);
  }
}

/// Marks the values between a contraction and the last of what belongs to it, which is quantised.
void QuantizationPlan::find_tail(const Graph& graph, const Node& contraction) {
  const ValueId product = contraction.outputs[0];
  const Node* user = users_[product];
  const bool is_biased = contraction.op == Op::kMatMul && user != nullptr && user->op == Op::kAdd &&
                         row_constant(graph, *user, product) != kNoValue;
  if (!is_biased) return quantise_activated(graph, product);
  inside_[product] = true;
  addends_[product] = row_constant(graph, *user, product);
  biased_[user->outputs[0]] = product;
  quantise_activated(graph, user->outputs[0]);
}

/// Quantises the Relu or Clip that alone uses `value`, or else the value itself.
void QuantizationPlan::quantise_activated(const Graph& graph, ValueId value) {
  const Node* user = users_[value];
  inside_[value] = user != nullptr && is_fixed_activation(graph, *user);
  quantised_[inside_[value] ? user->outputs[0] : value] = true;
}

void QuantizationPlan::spread(const Graph& graph, const Node& node) {
  const ValueId output = node.outputs[0];
  if (output == kNoValue || !is_float32(graph, output) || inside_[output]) return;
  const std::vector<ValueId> inputs = data_inputs(graph, node);
  const bool stays = passes_through(node) && node.outputs.size() == 1 && !inputs.empty() &&
                     std::ranges::all_of(inputs, [&](ValueId i) { return quantised_[i]; });
  if (wanted_[output]) quantised_[output] = true;
  if (!stays) return;
  if (!keeps_scale(node)) return quantise_activated(graph, output);
  quantised_[output] = true;
  for (const ValueId input : inputs) join(input, output);
}

ValueId QuantizationPlan::group(ValueId value) const {
  while (parent_[value] != value) value = parent_[value];
  return value;
}

void QuantizationPlan::join(ValueId a, ValueId b) {
  parent_[group(a)] = group(b);
}

const QuantizationParameters& QuantizationPlan::parameters(ValueId value) const {
  return parameters_[group(value)];
}

void QuantizationPlan::find_parameters(const Graph& graph, const CalibrationRanges& ranges) {
  std::vector<Range> of_group(graph.values.size());
  for (ValueId value = 0; value < graph.values.size(); ++value) {
    if (!quantised_[value]) continue;
    const auto found = ranges.find(graph.values[value].name);
    if (found == ranges.end()) {
      throw InputError(fmt::format("value '{}' has no range: calibrate the graph that is quantised",
                                   graph.values[value].name));
    }
    Range& range = of_group[group(value)];
    range = united(range, found->second);
  }
  std::ranges::transform(of_group, parameters_.begin(), parameters_for);
}

}  // namespace weft::passes
