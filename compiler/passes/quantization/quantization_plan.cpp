#include "compiler/passes/quantization/quantization_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/passes/rewrite/contraction.h"

namespace weft::passes {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Trait;
using graph::ValueId;

namespace {

bool is_float32(const Graph& graph, ValueId value) {
  return graph.type(value).type == DataType::kFloat32;
}

/// A quantized network should be standard ONNX, but other programs cannot read fused nodes.
void expect_unfused(const Node& node) {
  const bool has_matmul_bias = node.op == Op::kMatMul && node.input(kBias) != kNoValue;
  if (!has_matmul_bias && ends_with_bias(node)) return;
  throw InputError(fmt::format("{}: quantize before biases, residuals and activations are fused",
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

bool can_be_quantized(const Graph& graph, const Node& node) {
  const bool right_op = node.op == Op::kConv || node.op == Op::kMatMul ||
                        (node.op == Op::kGemm && is_plain_gemm(node));
  if (!right_op || !is_float32(graph, node.outputs[0])) return false;
  const ValueId weights = node.inputs[kWeights];
  return graph.is_constant(weights) && !graph.is_constant(node.inputs[0]) &&
         channel_layout(node, graph.type(weights).shape).has_value() &&
         has_usable_bias(graph, node);
}

/// True for a product of two computed matrices.
bool multiplies_computed(const Graph& graph, const Node& node) {
  if (node.op != Op::kMatMul || node.inputs.size() != 2) return false;
  return std::ranges::all_of(node.inputs, [&](ValueId input) {
    return is_float32(graph, input) && !graph.is_constant(input) &&
           graph.type(input).shape.size() >= 2;
  });
}

/// True for unary functions that are finite for every int8 value. Relu and Clip follow own rules.
bool is_function(Op op) {
  return has(op, Trait::kFunction) && !has(op, Trait::kPartial) && !has(op, Trait::kClamps);
}

/// True for unary functions that are not finite for every int8 value. They are computed only on
/// unrounded values.
bool is_partial_function(Op op) {
  return has(op, Trait::kPartial);
}

bool is_binary(const Node& node) {
  return has(node.op, Trait::kBinary) && node.inputs.size() == 2;
}

/// The float32 inputs that are not constant.
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
  const auto is_known = [&](ValueId bound) {
    return bound == kNoValue || graph.is_constant(bound);
  };
  return has(node.op, Trait::kClamps) && is_known(node.input(1)) && is_known(node.input(2));
}

/// The constant that `add` adds to each row of `product`; kNoValue if there is none.
ValueId row_constant(const Graph& graph, const Node& add, ValueId product) {
  const ValueId other = add.inputs[add.inputs[0] == product ? 1 : 0];
  const graph::ValueType& sum = graph.type(add.outputs[0]);
  if (!graph.is_constant(other) || sum != graph.type(product)) return kNoValue;
  const auto last = static_cast<std::int64_t>(sum.shape.size()) - 1;
  return per_channel(*graph.values[other].constant, sum, last) ? other : kNoValue;
}

/// For each value, the only node that uses it. Null if there are no or several users or if the
/// value is also an output.
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

QuantizationParameters parameters_for(const ValueRange& range) {
  constexpr double kSteps = 255;
  const double width = static_cast<double>(range.high) - static_cast<double>(range.low);
  // The lower limit prevents a scale of 0 for a range of subnormal numbers.
  const float scale =
      std::max(static_cast<float>(width / kSteps), std::numeric_limits<float>::min());
  if (width == 0) return {};
  const double zero = -128 - static_cast<double>(range.low) / static_cast<double>(scale);
  return {scale, static_cast<std::int8_t>(std::clamp(std::nearbyint(zero), -128.0, 127.0))};
}

QuantizationParameters symmetric_parameters_for(const ValueRange& range) {
  constexpr float kSteps = 127;
  const float most = std::max(std::abs(range.low), std::abs(range.high));
  if (most == 0) return {};
  return {std::max(most / kSteps, std::numeric_limits<float>::min()), 0};
}

QuantizationPlan::QuantizationPlan(const Graph& graph, const CalibrationRanges& ranges)
    : products_(graph.values.size()),
      wanted_(graph.values.size()),
      inside_(graph.values.size()),
      carried_(graph.values.size()),
      symmetric_(graph.values.size()),
      quantized_(graph.values.size()),
      first_(graph.values.size()),
      biased_(graph.values.size(), kNoValue),
      addends_(graph.values.size(), kNoValue),
      parent_(graph.values.size()),
      parameters_(graph.values.size()),
      users_(only_users(graph)),
      producers_(graph::producers(graph)) {
  std::iota(parent_.begin(), parent_.end(), ValueId{0});
  find_contractions(graph);
  for (const ValueId input : graph.inputs) quantized_[input] = wanted_[input];
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) spread(graph, i);
  find_parameters(graph, ranges);
  users_.clear();  // they point into `graph`
}

void QuantizationPlan::find_contractions(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (passes::is_contraction(node.op)) expect_unfused(node);
    if (multiplies_computed(graph, node)) {
      want_product(node);
      quantize_activated(graph, node.outputs[0]);
    }
    if (!can_be_quantized(graph, node)) continue;
    products_[node.outputs[0]] = true;
    wanted_[node.inputs[0]] = true;
    find_tail(graph, node);
  }
}

/// Marks the values between a contraction and the last node that belongs to it, and quantizes the
/// result of that node.
void QuantizationPlan::find_tail(const Graph& graph, const Node& contraction) {
  const ValueId product = contraction.outputs[0];
  const Node* user = users_[product];
  const bool is_biased = contraction.op == Op::kMatMul && user != nullptr && user->op == Op::kAdd &&
                         row_constant(graph, *user, product) != kNoValue;
  if (!is_biased) return quantize_activated(graph, product);
  inside_[product] = true;
  addends_[product] = row_constant(graph, *user, product);
  biased_[user->outputs[0]] = product;
  quantize_activated(graph, user->outputs[0]);
}

/// Quantizes the result of the Relu or Clip that is the only user of `value`, or else `value`.
void QuantizationPlan::quantize_activated(const Graph& graph, ValueId value) {
  const Node* user = users_[value];
  inside_[value] = user != nullptr && is_fixed_activation(graph, *user);
  quantized_[inside_[value] ? user->outputs[0] : value] = true;
}

void QuantizationPlan::want_product(const Node& node) {
  wanted_[node.inputs[0]] = true;
  wanted_[node.inputs[kWeights]] = true;
  symmetric_[node.inputs[kWeights]] = true;
}

void QuantizationPlan::spread(const Graph& graph, std::size_t index) {
  const Node& node = graph.nodes[index];
  const ValueId output = node.outputs[0];
  if (output == kNoValue || !is_float32(graph, output) || inside_[output]) return;
  pull(graph, node);
  for (const ValueId each : node.outputs) {
    if (each != kNoValue && wanted_[each]) quantized_[each] = true;
  }
  if (!passes_through(graph, node)) return;
  if (has(node.op, Trait::kKeepsScale)) return share_scale(graph, node);
  if (has(node.op, Trait::kAverages)) return quantize_activated(graph, output);
  if (has(node.op, Trait::kAlongAxes)) {
    quantized_[output] = true;
    return;
  }
  extend_chain(graph, index);
}

/// Quantizes the other operand of a sum or product with an int8 value.
void QuantizationPlan::pull(const Graph& graph, const Node& node) {
  if (!has(node.op, Trait::kCommutes) && node.op != Op::kSub) return;
  const std::vector<ValueId> inputs = data_inputs(graph, node);
  const bool known = std::ranges::any_of(inputs, [&](ValueId i) { return is_known(i); });
  for (const ValueId input : inputs) {
    if (known && !is_known(input) && !inside_[input]) quantized_[input] = true;
  }
}

bool QuantizationPlan::passes_through(const Graph& graph, const Node& node) const {
  const std::vector<ValueId> inputs = data_inputs(graph, node);
  const bool carried = std::ranges::any_of(inputs, [&](ValueId i) { return carried_[i]; });
  const bool lane_wise =
      is_function(node.op) || node.op == Op::kClip || (carried && node.op == Op::kRelu) ||
      (carried && is_partial_function(node.op)) ||
      (is_binary(node) &&
       (!has(node.op, Trait::kNeedsExactSecond) || graph.is_constant(node.inputs[1])));
  const bool right_op =
      lane_wise ||
      (!carried && (has(node.op, Trait::kKeepsScale) || has(node.op, Trait::kAverages))) ||
      has(node.op, Trait::kAlongAxes);
  const bool one_output = node.outputs.size() == 1 || node.op == Op::kSplit;
  return right_op && one_output && !inputs.empty() &&
         std::ranges::all_of(inputs, [&](ValueId i) { return is_known(i); });
}

void QuantizationPlan::share_scale(const Graph& graph, const Node& node) {
  const std::vector<ValueId> inputs = data_inputs(graph, node);
  for (const ValueId output : node.outputs) {
    if (output == kNoValue) continue;
    quantized_[output] = true;
    for (const ValueId input : inputs) join(input, output);
  }
}

/// Passes the result of an element-wise operator unrounded to the next operator, or quantizes it.
void QuantizationPlan::extend_chain(const Graph& graph, std::size_t index) {
  const Node& node = graph.nodes[index];
  const ValueId output = node.outputs[0];
  first_[output] = index;
  for (const ValueId input : data_inputs(graph, node)) {
    if (carried_[input]) first_[output] = std::min(first_[output], first_[input]);
  }
  const Node* user = users_[output];
  carried_[output] = user != nullptr && continues(graph, output, *user);
  quantized_[output] = !carried_[output];
}

/// True if `user` works on `value` element by element. Its other operand must be a constant or an
/// int8 value that is computed before the chain begins.
bool QuantizationPlan::continues(const Graph& graph, ValueId value, const Node& user) const {
  const graph::ValueType& type = graph.type(value);
  if (user.outputs.size() != 1 || graph.type(user.outputs[0]) != type) return false;
  if (is_function(user.op) || is_partial_function(user.op) || is_fixed_activation(graph, user)) {
    return true;
  }
  const auto rank = static_cast<std::int64_t>(type.shape.size());
  if (has(user.op, Trait::kSoftmaxLike)) {
    const std::int64_t axis = user.attributes.integer("axis", -1);
    return axis == -1 || axis == rank - 1;
  }
  if (!is_binary(user)) return false;
  const bool second = user.inputs[1] == value;
  if (second && !has(user.op, Trait::kCommutes)) return false;
  const ValueId other = user.inputs[second ? 0 : 1];
  if (graph.is_constant(other)) return is_float32(graph, other);
  const std::size_t producer = producers_[other];
  const bool is_there = producer == graph::kNoProducer || producer < first_[value];
  return quantized_[other] && is_there && graph.type(other) == type &&
         !has(user.op, Trait::kNeedsExactSecond);
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
  std::vector<ValueRange> of_group(graph.values.size());
  std::vector<bool> is_symmetric(graph.values.size());
  for (ValueId value = 0; value < graph.values.size(); ++value) {
    if (!quantized_[value]) continue;
    const auto found = ranges.find(graph.values[value].name);
    if (found == ranges.end()) {
      throw InputError(
          fmt::format("value '{}' has no range; calibrate the same graph that is quantized",
                      graph.values[value].name));
    }
    ValueRange& range = of_group[group(value)];
    range = united(range, found->second);
    if (symmetric_[value]) is_symmetric[group(value)] = true;
  }
  for (ValueId value = 0; value < graph.values.size(); ++value) {
    parameters_[value] = is_symmetric[value] ? symmetric_parameters_for(of_group[value])
                                             : parameters_for(of_group[value]);
  }
}

}  // namespace weft::passes
