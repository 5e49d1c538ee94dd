#include "compiler/passes/rewrite/contraction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/graph/operator_table.h"

namespace weft::passes {

using graph::Constant;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueType;
using Form = graph::Product::Form;

namespace {

Form form_of(Op op) {
  return operator_of(op).product.form;
}

}  // namespace

bool is_contraction(Op op) {
  return has(op, graph::Trait::kContraction) && !has(op, graph::Trait::kQuantized);
}

bool takes_epilogue(Op op) {
  return is_contraction(op) && has(op, graph::Trait::kEpilogue);
}

bool ends_with_bias(const Node& node) {
  return node.input(kResidual) == kNoValue && !node.attributes.has(kActivation);
}

std::optional<ChannelLayout> channel_layout(const Node& node, const Shape& weights) {
  const std::int64_t size = graph::element_count(weights);
  if (size == 0) return std::nullopt;
  switch (form_of(node.op)) {
    case Form::kConvolution:
      return ChannelLayout{size / weights[0], weights[0], 1};
    case Form::kTransposedConvolution: {
      const std::int64_t groups = node.attributes.integer("group", 1);
      return ChannelLayout{size / (weights[0] * weights[1]), weights[1], weights[0] / groups};
    }
    case Form::kGemm:
      if (node.attributes.integer("transB", 0) != 0)
        return ChannelLayout{weights[1], weights[0], 1};
      return ChannelLayout{1, weights[1], weights[0]};
    default:
      if (weights.size() != 2) return std::nullopt;
      return ChannelLayout{1, weights[1], weights[0]};
  }
}

std::int64_t channel_axis(Op op, std::int64_t rank) {
  const Form form = form_of(op);
  return form == Form::kConvolution || form == Form::kTransposedConvolution ? 1 : rank - 1;
}

std::optional<Constant> per_channel(const Constant& constant, const ValueType& output,
                                    std::int64_t axis) {
  const Shape& shape = constant.type().shape;
  const std::int64_t channels = output.shape[static_cast<std::size_t>(axis)];
  const std::size_t lead = output.shape.size() - std::min(shape.size(), output.shape.size());
  const std::int64_t place = axis - static_cast<std::int64_t>(lead);  // channel axis in `shape`
  const bool varies = place >= 0 && shape[static_cast<std::size_t>(place)] == channels;
  const std::int64_t elements = varies ? channels : 1;
  if (shape.size() > output.shape.size() || constant.type().type != output.type ||
      graph::element_count(shape) != elements) {
    return std::nullopt;
  }
  if (varies) return reshaped(constant, {channels});
  if (!graph::is_float(output.type)) return std::nullopt;
  const ValueType type{output.type, {channels}};
  return derive(type, {constant}, [type](std::span<const Tensor> sources) {
    const double value = real_scalar(sources[0]);
    return real_tensor(type, std::vector<double>(static_cast<std::size_t>(type.shape[0]), value));
  });
}

std::optional<Constant> channel_bias(Op op, const Constant& bias, const ValueType& output) {
  if (op != Op::kGemm) return bias;
  return per_channel(bias, output, 1);
}

void set_input(Node& node, std::size_t place, graph::ValueId value) {
  if (node.inputs.size() <= place) node.inputs.resize(place + 1, kNoValue);
  node.inputs[place] = value;
}

}  // namespace weft::passes
