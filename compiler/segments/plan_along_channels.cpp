// Softmax, normalization and concatenation. On int8 machines a float operation between dequantized
// values and a QuantizeLinear runs as one layer: integers in, integers out, binary32 in between.
#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::DataType;
using graph::Op;
using graph::ValueId;

/// The rows of a float value with `axis` along the channels; nullopt if it lies elsewhere.
std::optional<Planner::LaneRows> Planner::lane_rows(ValueId value, std::size_t axis) {
  const auto source = operand(value, axis);
  if (!source || source->dequantized != int8() || !is_channel_axis(source->view, axis)) {
    return std::nullopt;
  }
  const auto walk = walk_rows(source->view, axis);
  if (!walk) return std::nullopt;
  return LaneRows{source->view, *walk, source->quantization};
}

/// Adds the layer. Its result is the node's, or on int8 machines the result of the QuantizeLinear
/// after it.
template <class Layer>
Refusal Planner::finish_rows(const graph::Node& node, std::size_t axis, Layer layer) {
  ValueId result = node.outputs[0];
  if (int8()) {
    const auto quantized = quantized_at_once(result);
    if (!quantized) return kNotQuantized;
    layer.quantization = quantized->quantization;
    result = quantized->result;
  }
  layer.out = new_result(result, axis);
  add_layer(node, result, 0, std::move(layer));
  return std::nullopt;
}

Refusal Planner::plan_softmax(const graph::Node& node) {
  const Shape& shape = graph_.type(node.input(0)).shape;
  if (shape.empty()) return "a scalar";
  const std::size_t axis = softmax_axis(node);
  const auto rows = lane_rows(node.input(0), axis);
  if (!rows) return "its axis does not lie along the channels";
  ElementwiseLayer before;
  before.a = rows->view;
  before.walk = rows->walk;
  before.channels = shape[axis];
  before.a_quantization = rows->quantization;
  before.steps.clear();
  return plan_softmax_after(node, std::move(before));
}

std::size_t Planner::softmax_axis(const graph::Node& node) const {
  const auto rank = static_cast<std::int64_t>(graph_.type(node.input(0)).shape.size());
  return static_cast<std::size_t>(
      graph::normalized_axis(node.attributes.integer("axis", -1), rank));
}

Refusal Planner::plan_softmax_after(const graph::Node& node, ElementwiseLayer before) {
  SoftmaxLayer layer;
  layer.a = before.a;
  layer.walk = before.walk;
  layer.channels = before.channels;
  layer.a_quantization = before.a_quantization;
  layer.steps = std::move(before.steps);
  layer.logarithm = node.op == Op::kLogSoftmax;
  return finish_rows(node, softmax_axis(node), std::move(layer));
}

Refusal Planner::plan_layer_normalization(const graph::Node& node) {
  const Shape& shape = graph_.type(node.input(0)).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0 || graph::normalized_axis(node.attributes.integer("axis", -1), rank) != rank - 1) {
    return "it normalizes more than the last axis";
  }
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != graph::kNoValue) return "its outputs for the statistics are used";
  }
  const std::size_t axis = shape.size() - 1;
  const auto rows = lane_rows(node.input(0), axis);
  if (!rows) return kUnreadable;
  NormalizationLayer layer;
  layer.a = rows->view;
  layer.walk = rows->walk;
  layer.a_quantization = rows->quantization;
  layer.channels = shape[axis];
  layer.epsilon = node.attributes.real("epsilon", 1e-5F);
  if (!std::isfinite(static_cast<float>(layer.channels) * layer.epsilon)) {
    return "its epsilon is too large";  // the machine adds channels * epsilon
  }
  for (std::size_t i = 1; i <= 2; ++i) {
    if (node.input(i) == graph::kNoValue) continue;
    const graph::Constant* constant = lazy_constant(node.input(i));
    if (constant == nullptr || constant->type().type != DataType::kFloat32) {
      return "its scale or bias is computed";
    }
    (i == 1 ? layer.scale : layer.bias) = [constant = *constant] { return constant.tensor(); };
  }
  return finish_rows(node, axis, std::move(layer));
}

namespace {

/// The axis along the channels for all parts of a concatenation along `axis`. The first part with
/// several channels decides, since a part of one channel fits any axis of 1.
std::optional<std::size_t> common_channel_axis(const std::vector<View>& parts, std::size_t axis) {
  for (const View& part : parts) {
    const bool has_channels = std::ranges::any_of(
        part.dims, [](const ViewDim& dim) { return dim.extent > 1 && dim.channel_step != 0; });
    if (has_channels) return channel_axis_of(part);
  }
  if (std::ranges::all_of(parts, [&](const View& part) { return is_channel_axis(part, axis); })) {
    return axis;
  }
  return channel_axis_of(parts.front());
}

}  // namespace

/// A result sheet in which `axis` is the outermost of the axes along rows.
View Planner::stacked_result(ValueId value, std::size_t channel_axis, std::size_t axis) {
  const View plain = new_result(value, channel_axis);
  View view = plain;
  const std::int64_t extent = plain.dims[axis].extent;
  for (std::size_t i = 0; i < axis; ++i) view.dims[i].row_step /= extent;
  view.dims[axis].row_step =
      graph::element_count(plain.shape()) / (plain.dims[channel_axis].extent * extent);
  segment_->sheets[view.sheet].view = view;
  segment_->values[value] = {.view = view};
  return view;
}

Refusal Planner::plan_concat(const graph::Node& node) {
  const ValueId value = node.outputs[0];
  const Shape& shape = graph_.type(value).shape;
  const auto axis = static_cast<std::size_t>(graph::normalized_axis(
      node.attributes.integer("axis", 0), static_cast<std::int64_t>(shape.size())));
  if (!holds(graph_.type(value).type)) return "its elements have a type that the array lacks";
  std::vector<View> views;
  for (const ValueId input : node.inputs) {
    if (int8() && graph_.is_constant(input)) return "one of its parts is constant";
    const auto view = plain_operand(input, free_channel_axis(shape.size()));
    if (!view) return kUnreadable;
    views.push_back(*view);
  }
  const auto channels = common_channel_axis(views, axis);
  if (!channels) return kUnreadable;
  // The rows of a part must be consecutive in the sheet.
  bool interleaves = false;
  for (std::size_t i = 0; axis != *channels && i < axis; ++i) {
    interleaves = interleaves || (i != *channels && shape[i] != 1);
  }
  const bool stacks =
      std::ranges::all_of(views, [&](const View& view) { return view.dims[axis].extent == 1; });
  if (interleaves && (int8() || !stacks)) return "its parts interleave";
  ConcatLayer layer;
  layer.out = interleaves ? stacked_result(value, *channels, axis) : new_result(value, *channels);
  std::int64_t begin = 0;
  for (const View& view : views) {
    const auto walk = walk_rows(view, *channels);
    if (!walk || !is_channel_axis(view, *channels)) return kUnreadable;
    ElementwiseLayer part;
    part.a = view;
    part.walk = *walk;
    part.channels = view.dims[*channels].extent;
    part.out = sliced(layer.out, axis, begin, view.dims[axis].extent, 1);
    begin += view.dims[axis].extent;
    layer.parts.push_back(std::move(part));
  }
  add_layer(node, value, 0, std::move(layer));
  return std::nullopt;
}

}  // namespace weft::compiler
