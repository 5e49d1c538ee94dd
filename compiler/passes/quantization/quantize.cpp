#include "compiler/passes/quantization/quantize.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/quantization/quantization_plan.h"
#include "compiler/passes/quantization/quantize_weights.h"
#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::Constant;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

class Quantizer {
 public:
  explicit Quantizer(QuantizationPlan plan) : plan_(std::move(plan)) {}

  bool visit(Rewriter& rewriter, const Node& node) {
    Node changed = node;
    for (ValueId& input : changed.inputs) input = through_pair(rewriter, input);
    const ValueId output = node.outputs[0];
    if (output != kNoValue && plan_.is_contraction(output)) {
      quantize_operands(rewriter, node, changed);
    }
    if (output != kNoValue && plan_.biased_product(output) != kNoValue) {
      quantize_addend(rewriter, changed, plan_.biased_product(output));
    }
    emit(rewriter, std::move(changed));
    return true;
  }

 private:
  struct ParameterConstants {
    ValueId scale = kNoValue;
    ValueId zero_point = kNoValue;
  };

  /// The scale of the sums of a contraction is input_scale * weight_scale.
  struct SumScale {
    Constant weight_scale;
    float input_scale = 1;
  };

  /// The constants for the scale and zero point of `value`; a group shares one pair.
  ParameterConstants parameters(Rewriter& rewriter, ValueId value) {
    const auto [place, is_new] = parameters_.try_emplace(plan_.group(value));
    if (is_new) {
      const QuantizationParameters& numbers = plan_.parameters(value);
      const std::string name = rewriter.name(value);
      place->second.scale = rewriter.add_constant(Tensor::scalar(numbers.scale), name + "/scale");
      place->second.zero_point =
          rewriter.add_constant(Tensor::scalar(numbers.zero_point), name + "/zero_point");
    }
    return place->second;
  }

  /// from -> Quantize -> Dequantize -> to, with the parameters of `value`.
  void emit_pair(Rewriter& rewriter, ValueId from, ValueId to, ValueId value) {
    const auto [scale, zero_point] = parameters(rewriter, value);
    const std::string name = rewriter.name(value);
    const ValueId integers =
        rewriter.add(Op::kQuantizeLinear, {from, scale, zero_point}, {}, name + "/quantize");
    rewriter.emit({Op::kDequantizeLinear,
                   rewriter.unique(name + "/dequantize"),
                   {integers, scale, zero_point},
                   {to},
                   {}});
  }

  /// Returns `value` after its pair. Adds the pair at the first use of a quantized graph input.
  ValueId through_pair(Rewriter& rewriter, ValueId value) {
    const bool is_input = value != kNoValue && rewriter.producer(value) == nullptr;
    if (!is_input || !plan_.is_quantized(value)) return value;
    const auto [place, is_new] = inputs_.try_emplace(value, kNoValue);
    if (is_new) {
      const std::string name = rewriter.name(value);
      place->second = rewriter.new_value(rewriter.type(value), name + "/quantized");
      emit_pair(rewriter, value, place->second, value);
    }
    return place->second;
  }

  void emit(Rewriter& rewriter, Node node) {
    std::map<ValueId, ValueId> unrounded;
    for (ValueId& output : node.outputs) {
      if (output == kNoValue || !plan_.is_quantized(output)) continue;
      const std::string name = rewriter.name(output);
      const ValueId value = rewriter.new_value(rewriter.type(output), name + "/unrounded");
      unrounded.emplace(output, value);
      output = value;
    }
    rewriter.emit(std::move(node));
    for (const auto& [output, value] : unrounded) emit_pair(rewriter, value, output, output);
  }

  ValueId dequantized(Rewriter& rewriter, const QuantizedConstant& constant, std::int64_t axis,
                      const std::string& name) {
    const ValueId integers = rewriter.add_constant(constant.integers, name + "/integers");
    const ValueId scale = rewriter.add_constant(constant.scale, name + "/scale");
    return rewriter.add(Op::kDequantizeLinear, {integers, scale}, {{"axis", axis}},
                        name + "/dequantize");
  }

  /// Quantized weights in a network of real numbers.
  struct RealWeights {
    ValueId value = kNoValue;
    Constant scale;
  };

  RealWeights quantize(Rewriter& rewriter, const Node& node, const Constant* bias,
                       float input_scale) {
    const Constant weights = *rewriter.constant(node.inputs[kWeights]);
    const QuantizedConstant integers =
        quantize_weights(weights, *channel_layout(node, weights.type().shape), bias, input_scale);
    const std::string name = rewriter.name(node.inputs[kWeights]);
    return {dequantized(rewriter, integers, weight_axis(node), name), integers.scale};
  }

  /// Without a bias the integers do not depend on the input. So contractions with one constant,
  /// such as the steps of a recurrent network, share them.
  const RealWeights& shared_weights(Rewriter& rewriter, const Node& node) {
    const auto key = std::pair(node.inputs[kWeights], weight_axis(node));
    const auto known = shared_.find(key);
    if (known != shared_.end()) return known->second;
    return shared_.emplace(key, quantize(rewriter, node, nullptr, 1)).first->second;
  }

  /// Quantizes the weights and bias of a contraction. `node` has the original inputs; `changed`
  /// gets the new ones.
  void quantize_operands(Rewriter& rewriter, const Node& node, Node& changed) {
    const std::optional<Constant> bias = bias_of(rewriter, node);
    const float input_scale = plan_.parameters(node.inputs[0]).scale;
    const RealWeights weights =
        bias ? quantize(rewriter, node, &*bias, input_scale) : shared_weights(rewriter, node);
    changed.inputs[kWeights] = weights.value;
    const SumScale& unit =
        units_.try_emplace(node.outputs[0], SumScale{weights.scale, input_scale}).first->second;
    if (node.input(kBias) == kNoValue) return;
    changed.inputs[kBias] = dequantized_bias(rewriter, *bias, unit, node.inputs[kBias]);
  }

  /// The bias of a contraction, [channels]: its bias input or the constant that an Add adds to it.
  std::optional<Constant> bias_of(const Rewriter& rewriter, const Node& node) const {
    const graph::ValueType& product = rewriter.type(node.outputs[0]);
    if (node.input(kBias) != kNoValue) {
      return channel_bias(node.op, *rewriter.constant(node.inputs[kBias]), product);
    }
    const ValueId addend = plan_.addend(node.outputs[0]);
    if (addend == kNoValue) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(product.shape.size());
    return per_channel(*rewriter.constant(addend), product, rank - 1);
  }

  ValueId dequantized_bias(Rewriter& rewriter, const Constant& bias, const SumScale& unit,
                           ValueId named_after) {
    const std::string name = rewriter.name(named_after);
    return dequantized(rewriter, quantize_bias(bias, unit.weight_scale, unit.input_scale), 0, name);
  }

  /// Quantizes the constant of an Add that is the bias of a MatMul.
  void quantize_addend(Rewriter& rewriter, Node& add, ValueId product) {
    const graph::ValueType& sum = rewriter.type(product);
    const ValueId addend = plan_.addend(product);
    const auto axis = static_cast<std::int64_t>(sum.shape.size()) - 1;
    const Constant bias = *per_channel(*rewriter.constant(addend), sum, axis);
    const ValueId quantized = dequantized_bias(rewriter, bias, units_.at(product), addend);
    std::ranges::replace(add.inputs, addend, quantized);
  }

  static std::int64_t weight_axis(const Node& node) {
    if (node.op == Op::kConv) return 0;
    return node.attributes.integer("transB", 0) != 0 ? 0 : 1;
  }

  QuantizationPlan plan_;
  std::map<ValueId, ParameterConstants> parameters_;  // by group
  std::map<ValueId, ValueId> inputs_;                 // graph inputs to their dequantized values
  std::map<ValueId, SumScale> units_;                 // by product
  /// Weights of contractions without bias, by the constant and its axis of channels.
  std::map<std::pair<ValueId, std::int64_t>, RealWeights> shared_;
};

}  // namespace

Graph quantize(Graph graph, const CalibrationRanges& ranges) {
  Quantizer quantizer(QuantizationPlan(graph, ranges));
  return rewrite(std::move(graph), [&](Rewriter& rewriter, const Node& node) {
    return quantizer.visit(rewriter, node);
  });
}

}  // namespace weft::passes
