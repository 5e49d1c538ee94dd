#include "compiler/passes/quantization/qdq_movement.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/passes/quantization/quantized.h"
#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"

namespace weft::passes {

using graph::Attributes;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::ValueId;

namespace {

/// The bytes and the single scale from which `value` was dequantized; false if there are none.
Quantized dequantized_bytes(const Rewriter& rewriter, ValueId value) {
  const Quantized found = dequantized(rewriter, value);
  if (!found || !is_per_tensor(rewriter, found) || !is_byte(rewriter, found.integers)) return {};
  return found;
}

void emit_dequantize(Rewriter& rewriter, const Quantized& value, ValueId output,
                     Attributes attributes = {}) {
  std::vector<ValueId> inputs = {value.integers, value.scale};
  if (value.zero_point != kNoValue) inputs.push_back(value.zero_point);
  rewriter.emit({Op::kDequantizeLinear,
                 rewriter.unique(rewriter.name(output) + "/dequantize"),
                 std::move(inputs),
                 {output},
                 std::move(attributes)});
}

bool pads_with_zero(const Rewriter& rewriter, const Node& node) {
  if (node.attributes.text("mode", "constant") != "constant" || node.input(2) == kNoValue) {
    return true;
  }
  const graph::Tensor* value = rewriter.ready(node.input(2));
  return value != nullptr && real_scalar(*value) == 0;
}

/// True if the node can work on integers instead of the dequantized elements.
bool moves_elements(const Rewriter& rewriter, const Node& node) {
  if (node.op == Op::kPad) return pads_with_zero(rewriter, node);
  return has(node.op, graph::Trait::kMovesElements);
}

/// The integers from which the node's data inputs were dequantized. Returns an empty list if an
/// input was not dequantized or the inputs have different parameters.
std::vector<Quantized> data(const Rewriter& rewriter, const Node& node) {
  const std::size_t count = node.op == Op::kConcat ? node.inputs.size() : 1;
  std::vector<Quantized> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(dequantized_bytes(rewriter, node.inputs[i]));
    const bool fits = result[i] && (i == 0 || same_parameters(rewriter, result[0], result[i]));
    if (!fits) return {};
  }
  return result;
}

/// Transposes a constant matrix, such as the weights of a MatMul, at compile time. The matrix may
/// have a scale per channel.
bool transpose_weights(Rewriter& rewriter, const Node& node) {
  Quantized weights = dequantized(rewriter, node.inputs[0]);
  if (node.op != Op::kTranspose || !weights) return false;
  const graph::Constant* constant = rewriter.constant(weights.integers);
  const auto perm = node.attributes.integers("perm", {1, 0});
  if (constant == nullptr || constant->type().shape.size() != 2 || perm[0] != 1) return false;
  weights.integers =
      rewriter.add_constant(transposed(*constant), rewriter.name(node.outputs[0]) + "/integers");
  emit_dequantize(rewriter, weights, node.outputs[0], {{"axis", 1 - weights.axis}});
  return true;
}

}  // namespace

bool cancel_quantize(Rewriter& rewriter, const Node& node) {
  const Quantized before = dequantized(rewriter, node.inputs[0]);
  const Quantized after = quantized(rewriter, node);
  if (!before || !after || !same_parameters(rewriter, before, after)) return false;
  rewriter.replace(node.outputs[0], before.integers);
  return true;
}

namespace {

/// Makes a Split work on the integers from which its input was dequantized.
bool split_integers(Rewriter& rewriter, const Node& node, const Quantized& before) {
  Node split = node;
  split.inputs[0] = before.integers;
  for (ValueId& output : split.outputs) {
    if (output == kNoValue) continue;
    const graph::ValueType type{rewriter.type(before.integers).type, rewriter.type(output).shape};
    output = rewriter.new_value(type, rewriter.name(output) + "/integers");
  }
  rewriter.emit(split);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    Quantized after = before;
    after.integers = split.outputs[i];
    emit_dequantize(rewriter, after, node.outputs[i]);
  }
  return true;
}

}  // namespace

bool move_on_integers(Rewriter& rewriter, const Node& node) {
  if (node.outputs[0] == kNoValue || !moves_elements(rewriter, node)) return false;
  const bool splits = node.op == Op::kSplit;
  if (!splits && node.outputs.size() > 1 && rewriter.used(node.outputs[1])) return false;
  if (transpose_weights(rewriter, node)) return true;
  const std::vector<Quantized> before = data(rewriter, node);
  if (before.empty()) return false;
  if (splits) return split_integers(rewriter, node, before[0]);
  std::vector<ValueId> inputs = node.inputs;
  for (std::size_t i = 0; i < before.size(); ++i) inputs[i] = before[i].integers;
  if (node.op == Op::kPad) {
    if (inputs.size() < 3) inputs.resize(3, kNoValue);
    inputs[2] = zero_point_operand(rewriter, before[0]);
  }
  Quantized after = before[0];
  after.integers = rewriter.add(node.op, std::move(inputs), node.attributes, node.name);
  emit_dequantize(rewriter, after, node.outputs[0]);
  return true;
}

namespace {

/// Makes the Relu the activation of the QLinear operator that made the integers, if nothing else
/// uses them.
bool become_activation(Rewriter& rewriter, const Node& relu, ValueId integers) {
  const Node* maker = rewriter.producer(integers);
  const bool takes = maker != nullptr && has(maker->op, graph::Trait::kEpilogue) &&
                     has(maker->op, graph::Trait::kQuantized) &&
                     !maker->attributes.has(kActivation) && rewriter.used_once(integers) &&
                     rewriter.used_once(relu.inputs[0]);
  if (!takes) return false;
  Node dequantize = rewriter.take(relu.inputs[0]);
  Node contraction = rewriter.take(integers);
  contraction.attributes.set(kActivation, std::string("Relu"));
  rewriter.emit(std::move(contraction));
  dequantize.outputs = relu.outputs;
  rewriter.emit(std::move(dequantize));
  return true;
}

}  // namespace

bool relu_on_integers(Rewriter& rewriter, const Node& node, ZeroPoints zero_points) {
  if (node.op != Op::kRelu) return false;
  Quantized value = dequantized_bytes(rewriter, node.inputs[0]);
  if (!value) return false;
  const auto zero = zero_point(rewriter, value);
  if (!zero) return false;
  if (zero_points == ZeroPoints::kGiven && *zero == lowest(rewriter.type(value.integers).type)) {
    rewriter.replace(node.outputs[0], node.inputs[0]);
    return true;
  }
  if (become_activation(rewriter, node, value.integers)) return true;
  const ValueId least = zero_point_operand(rewriter, value);
  value.integers = rewriter.add(Op::kMax, {value.integers, least}, {}, node.name);
  emit_dequantize(rewriter, value, node.outputs[0]);
  return true;
}

}  // namespace weft::passes
