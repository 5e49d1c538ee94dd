#include "compiler/passes/quantization/qdq_contraction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/signature.h"
#include "compiler/passes/fusion/fuse_activation.h"
#include "compiler/passes/quantization/quantized.h"
#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"

namespace weft::passes {

using graph::Attributes;
using graph::Constant;
using graph::DataType;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

/// The nodes between the operands and the QuantizeLinear.
struct Chain {
  ValueId product = kNoValue;                 // the contraction's result; kNoValue: no match
  std::optional<Attributes> activation = {};  // of a separate Relu or Clip after the contraction
};

Chain chain_before(const Rewriter& rewriter, ValueId end) {
  const Node* last = rewriter.producer(end);
  if (last == nullptr || !rewriter.used_once(end)) return {};
  if (last->op != Op::kRelu && last->op != Op::kClip) return {end};
  const auto activation = activation_attributes(rewriter, *last);
  const ValueId product = last->inputs[0];
  if (!activation || !rewriter.used_once(product)) return {};
  return {product, activation};
}

bool has_integer_form(const Node& node) {
  if (node.op == Op::kGemm) {
    return node.attributes.integer("transA", 0) == 0 && node.attributes.real("alpha", 1) == 1 &&
           (node.input(kBias) == kNoValue || node.attributes.real("beta", 1) == 1);
  }
  return node.op == Op::kConv || node.op == Op::kMatMul;
}

/// QLinearMatMul has a bias as ninth input only as an extension of ONNX (graph/op.h).
bool has_place_for_bias(const Node& node) {
  const Op op = node.op == Op::kConv ? Op::kQLinearConv : Op::kQLinearMatMul;
  return node.input(kBias) == kNoValue || graph::signature_of(op).max_inputs == 9;
}

bool allows_activation(const Node& node, const Chain& chain) {
  if (!node.attributes.has(kActivation)) return true;
  const std::string name = node.attributes.text(kActivation, "");
  return !chain.activation && (name == "Relu" || name == "Clip");
}

bool is_transposed(const Node& node) {
  return node.op == Op::kGemm && node.attributes.integer("transB", 0) != 0;
}

/// True if the second operand has a single scale or one scale per output channel.
bool has_channel_scales(const Rewriter& rewriter, const Node& node, const Quantized& weights) {
  if (!is_byte(rewriter, weights.integers)) return false;
  if (is_transposed(node) && rewriter.constant(weights.integers) == nullptr) return false;
  if (is_per_tensor(rewriter, weights)) return true;
  const bool matrix = rewriter.type(weights.integers).shape.size() == 2;
  if (node.op == Op::kMatMul && !matrix) return false;
  return weights.axis == (node.op == Op::kConv || is_transposed(node) ? 0 : 1);
}

/// Rounds `value` to the nearest integer, ties to even, and saturates to int32.
std::int32_t rounded_to_int32(double value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (value <= Limits::min()) return Limits::min();
  if (value >= Limits::max()) return Limits::max();
  return static_cast<std::int32_t>(std::nearbyint(value));
}

/// The element for `channel` in a list with one element per channel or one for all channels.
float of_channel(std::span<const float> list, std::size_t channel) {
  return list[list.size() == 1 ? 0 : channel];
}

/// The bias as integers of scale x_scale * w_scale. Sources: x_scale, w_scale, the bias, and the
/// bias's scale if it is an integer bias. An integer bias does not change if its scale equals the
/// product in binary32, because exporters compute the scale in binary32.
Tensor contraction_bias(std::span<const Tensor> sources, std::int64_t channels) {
  const float x_scale = sources[0].data<float>()[0];
  const bool has_scale = sources.size() == 4;
  std::vector<double> real;
  if (!has_scale) real = real_values(sources[2]);
  Tensor result(DataType::kInt32, {channels});
  const std::span<std::int32_t> out = result.mutable_data<std::int32_t>();
  for (std::size_t c = 0; c < out.size(); ++c) {
    const float w_scale = of_channel(sources[1].data<float>(), c);
    const double scale = static_cast<double>(x_scale) * static_cast<double>(w_scale);
    const float own = has_scale ? of_channel(sources[3].data<float>(), c) : 0.0F;
    const std::int32_t integer = has_scale ? sources[2].data<std::int32_t>()[c] : 0;
    const double value = has_scale ? integer * static_cast<double>(own) : real[c];
    out[c] = has_scale && own == x_scale * w_scale ? integer : rounded_to_int32(value / scale);
  }
  return result;
}

/// The constants of the bias: real numbers [channels], or integers [channels] and their scale.
/// Returns an empty list if the bias has neither form.
std::vector<Constant> bias_sources(const Rewriter& rewriter, const Node& node,
                                   const graph::ValueType& product, std::int64_t channels) {
  const ValueId bias = node.inputs[kBias];
  if (const Constant* real = rewriter.constant(bias); real != nullptr) {
    const auto flat = channel_bias(node.op, *real, product);
    return flat ? std::vector<Constant>{*flat} : std::vector<Constant>{};
  }
  const Quantized own = dequantized(rewriter, bias);
  if (!own || rewriter.constant(own.integers) == nullptr) return {};
  const graph::ValueType list{DataType::kInt32, {channels}};
  if (rewriter.type(own.integers) != list || !has_zero_points_of_0(rewriter, own)) return {};
  return {*rewriter.constant(own.integers), *rewriter.constant(own.scale)};
}

/// False if an element of the bias was saturated. A bias made on demand counts as in range.
bool is_in_range(const Constant& bias) {
  if (bias.ready() == nullptr) return true;
  const auto at_limit = [](std::int32_t value) {
    return value == std::numeric_limits<std::int32_t>::min() ||
           value == std::numeric_limits<std::int32_t>::max();
  };
  return std::ranges::none_of(bias.ready()->data<std::int32_t>(), at_limit);
}

/// The integer bias of the quantized contraction; nullopt if the bias cannot be quantized.
std::optional<Constant> quantized_bias(const Rewriter& rewriter, const Node& node,
                                       const graph::ValueType& product, const Quantized& x,
                                       const Quantized& w) {
  const auto rank = static_cast<std::int64_t>(product.shape.size());
  const std::int64_t axis = channel_axis(node.op, rank);
  const std::int64_t channels = product.shape[static_cast<std::size_t>(axis)];
  std::vector<Constant> sources = {*rewriter.constant(x.scale), *rewriter.constant(w.scale)};
  for (Constant& source : bias_sources(rewriter, node, product, channels)) {
    sources.push_back(std::move(source));
  }
  if (sources.size() == 2) return std::nullopt;
  Constant bias =
      derive({DataType::kInt32, {channels}}, std::move(sources),
             [channels](std::span<const Tensor> s) { return contraction_bias(s, channels); });
  if (!is_in_range(bias)) return std::nullopt;
  return bias;
}

void append_parameters(Rewriter& rewriter, const Quantized& value, std::vector<ValueId>& inputs) {
  inputs.push_back(scale_operand(rewriter, value));
  inputs.push_back(zero_point_operand(rewriter, value));
}

struct QdqOperands {
  Quantized x;
  Quantized w;
  Quantized y;
  std::optional<Constant> bias;
};

ValueId weights_operand(Rewriter& rewriter, const Node& node, const Quantized& weights) {
  if (!is_transposed(node)) return weights.integers;
  return rewriter.add_constant(transposed(*rewriter.constant(weights.integers)),
                               node.name + "/weights");
}

std::vector<ValueId> inputs_of(Rewriter& rewriter, const Node& node, const QdqOperands& operands) {
  std::vector<ValueId> inputs = {operands.x.integers};
  append_parameters(rewriter, operands.x, inputs);
  inputs.push_back(weights_operand(rewriter, node, operands.w));
  append_parameters(rewriter, operands.w, inputs);
  append_parameters(rewriter, operands.y, inputs);
  if (operands.bias) inputs.push_back(rewriter.add_constant(*operands.bias, node.name + "/bias"));
  return inputs;
}

/// The operands of the contraction's integer form; nullopt if it has none.
std::optional<QdqOperands> operands_of(const Rewriter& rewriter, const Node& node, ValueId product,
                                       const Quantized& y) {
  QdqOperands result{dequantized(rewriter, node.inputs[0]), dequantized(rewriter, node.inputs[1]),
                     y, std::nullopt};
  const Quantized& x = result.x;
  if (!x || !result.w || !is_per_tensor(rewriter, x) || !is_byte(rewriter, x.integers) ||
      !has_channel_scales(rewriter, node, result.w)) {
    return std::nullopt;
  }
  if (node.input(kBias) != kNoValue) {
    result.bias = quantized_bias(rewriter, node, rewriter.type(product), x, result.w);
    if (!result.bias) return std::nullopt;
  }
  return result;
}

Attributes attributes_of(const Node& node) {
  Attributes result = node.attributes;
  for (const char* name : {"alpha", "beta", "transA", "transB"}) result.erase(name);
  return result;
}

}  // namespace

bool fuse_contraction(Rewriter& rewriter, const Node& quantize) {
  const Quantized y = quantized(rewriter, quantize);
  if (!y || !is_per_tensor(rewriter, y)) return false;
  const ValueId end = quantize.inputs[0];
  const Chain chain = chain_before(rewriter, end);
  if (chain.product == kNoValue) return false;
  const Node* found = rewriter.producer(chain.product);
  if (found == nullptr || !has_integer_form(*found) || found->input(kResidual) != kNoValue ||
      !has_place_for_bias(*found) || !allows_activation(*found, chain)) {
    return false;
  }
  const auto operands = operands_of(rewriter, *found, chain.product, y);
  if (!operands) return false;
  if (chain.activation) rewriter.take(end);
  const Node node = rewriter.take(chain.product);
  Node fused{node.op == Op::kConv ? Op::kQLinearConv : Op::kQLinearMatMul, node.name,
             inputs_of(rewriter, node, *operands), quantize.outputs, attributes_of(node)};
  if (chain.activation) set_attributes(fused, *chain.activation);
  rewriter.emit(std::move(fused));
  return true;
}

}  // namespace weft::passes
