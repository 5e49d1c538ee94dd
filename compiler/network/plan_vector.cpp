// Layers of the vector unit. On int8 machines a float operation between dequantised values and a
// QuantizeLinear runs as one layer: integers in, integers out, binary32 in between.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/network/planner.h"

namespace weft::network {

using graph::DataType;
using graph::Op;
using graph::ValueId;

namespace {

constexpr const char* kUnreadable = "its input does not lie in rows of channels on this machine";
constexpr const char* kNotQuantised = "its float result is not quantised at once";

std::uint16_t lowest_pattern(ElementType type) {
  switch (type) {
    case ElementType::kBf16:
      return 0xFF80;  // -infinity
    case ElementType::kFp16:
      return 0xFC00;
    default:
      return 0x80;  // -128
  }
}

std::optional<VectorCombine> combine_of(Op op) {
  switch (op) {
    case Op::kAdd:
      return VectorCombine::kAdd;
    case Op::kSub:
      return VectorCombine::kSub;
    case Op::kMul:
      return VectorCombine::kMul;
    case Op::kDiv:
      return VectorCombine::kDiv;
    case Op::kPow:
      return VectorCombine::kPow;
    case Op::kMin:
      return VectorCombine::kMin;
    case Op::kMax:
      return VectorCombine::kMax;
    case Op::kPRelu:
      return VectorCombine::kPrelu;
    default:
      return std::nullopt;
  }
}

bool commutes(Op op) {
  return op == Op::kAdd || op == Op::kMul || op == Op::kMin || op == Op::kMax;
}

/// True if a constant of shape `b` is one number, or one for each index of `axis` of `shape`.
bool is_per_channel(const Shape& b, const Shape& shape, std::size_t axis) {
  const std::int64_t count = graph::element_count(b);
  if (count == 1) return true;
  const std::size_t from_end = shape.size() - axis;
  return count == shape[axis] && from_end <= b.size() && b[b.size() - from_end] == count;
}

}  // namespace

Refusal Planner::plan_unary(const graph::Node& node) {
  ElementwiseLayer layer;
  if (node.op == Op::kClip) {
    const auto bound = [&](ValueId value, float otherwise) {
      return value == graph::kNoValue ? std::optional(otherwise) : scalar(value);
    };
    const auto low = bound(node.input(1), -std::numeric_limits<float>::infinity());
    const auto high = bound(node.input(2), std::numeric_limits<float>::infinity());
    if (!low || !high) return "its bounds are computed";
    layer.op = VectorOp::kClamp;
    layer.low = std::bit_cast<std::uint32_t>(*low);
    layer.high = std::bit_cast<std::uint32_t>(*high);
  } else {
    const auto function = lane_function(node);
    layer.op = function->op;
    layer.low = function->low;
    layer.high = function->high;
  }
  return plan_elementwise(node, std::move(layer));
}

Refusal Planner::plan_binary(const graph::Node& node) {
  if (node.inputs.size() != 2) return "it has more than two operands";
  ElementwiseLayer layer;
  layer.combine = *combine_of(node.op);
  return plan_elementwise(node, std::move(layer));
}

/// b as one number, one for each channel, or rows: one for all, one for each, or a block of rows
/// that begins anew for every leading index.
Refusal Planner::second_operand(ValueId b, const Shape& shape, std::size_t axis,
                                const Operand& first, ElementwiseLayer& layer) {
  const Shape& b_shape = graph_.type(b).shape;
  const graph::Constant* constant = lazy_constant(b);
  if (constant != nullptr && is_per_channel(b_shape, shape, axis)) {
    if (constant->type().type != DataType::kFloat32) return "its constant is not float32";
    layer.b = MakeTensor([constant = *constant] { return constant.tensor(); });
    return std::nullopt;
  }
  const std::size_t missing = shape.size() - b_shape.size();
  if (axis < missing || b_shape[axis - missing] != shape[axis]) {
    return "its second operand is broadcast along the channels";
  }
  const auto second = operand(b, axis - missing);
  if (!second || !is_channel_axis(second->view, axis - missing)) return kUnreadable;
  if (second->dequantized != first.dequantized) return "one of its operands is quantised";
  const auto walk = walk_rows(second->view, axis - missing);
  if (!walk || walk->images != 1 || walk->y.output != 1) {
    return "its second operand does not lie in rows";
  }
  const std::int64_t rows = walk->rows();
  layer.b = second->view;
  layer.b_step = rows == 1 ? 0 : walk->x_step;
  layer.b_quantization = second->quantization;
  if (rows == 1 || rows == layer.walk.rows()) return std::nullopt;
  // Once an index is repeated, all before it must be.
  bool repeats = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == axis || shape[i] == 1) continue;
    const std::int64_t extent = i < missing ? 1 : b_shape[i - missing];
    if (extent == 1 && !repeats) return "its second operand is broadcast";
    repeats = extent == 1;
  }
  if (layer.walk.images != 1 || layer.walk.y.output != 1) {
    return "its first operand does not lie in rows";
  }
  layer.b_period = rows;
  layer.walk.images = layer.walk.rows() / rows;
  layer.walk.image_step = layer.walk.x_step * rows;
  layer.walk.x.input = layer.walk.x.output = rows;
  layer.walk.one_image = true;
  return std::nullopt;
}

Refusal Planner::plan_elementwise(const graph::Node& node, ElementwiseLayer layer) {
  ValueId a = node.input(0);
  ValueId b = layer.combine == VectorCombine::kNone ? graph::kNoValue : node.input(1);
  const ValueId value = node.outputs[0];
  const Shape& shape = graph_.type(value).shape;
  if (shape.empty()) return "a scalar";
  const bool swapped = b != graph::kNoValue && commutes(node.op) &&
                       (graph_.is_constant(a) || graph_.type(a).shape != shape);
  if (swapped) std::swap(a, b);
  if (graph_.is_constant(a)) return "its first operand is constant";
  if (graph_.type(a).shape != shape) return "its first operand is broadcast";
  const auto source = operand(a, free_channel_axis(shape.size()));
  if (!source) return kUnreadable;
  const auto axis = channel_axis_of(source->view);
  const auto walk = axis ? walk_rows(source->view, *axis) : std::nullopt;
  if (!walk) return kUnreadable;
  layer.a = source->view;
  layer.a_quantization = source->quantization;
  layer.walk = *walk;
  layer.channels = shape[*axis];
  const bool is_integer = !graph::is_float(graph_.type(a).type);
  if (is_integer && (layer.op != VectorOp::kRelu || layer.combine != VectorCombine::kNone) &&
      layer.combine != VectorCombine::kMax && layer.combine != VectorCombine::kMin) {
    return "integer arithmetic";
  }
  if (is_integer && (layer.op == VectorOp::kRelu || b == graph::kNoValue || graph_.is_constant(b) ||
                     graph_.type(a).type == DataType::kUint8)) {
    return "integer arithmetic";
  }
  if (b != graph::kNoValue) {
    if (Refusal refusal = second_operand(b, shape, *axis, *source, layer)) return refusal;
  }
  // A unary function that follows and is all that uses the result comes along.
  const graph::Node* last = &node;
  if (layer.op == VectorOp::kCopy && !is_integer) {
    const graph::Node* next = only_user(value);
    if (next != nullptr && next->inputs.size() == 1) {
      if (const auto function = lane_function(*next)) {
        layer.op = function->op;
        layer.low = function->low;
        layer.high = function->high;
        absorb(*next);
        last = next;
      }
    }
  }
  if (int8() && !is_integer) {
    const graph::Node* quantize = only_user(last->outputs[0]);
    if (quantize == nullptr || quantize->op != Op::kQuantizeLinear) return kNotQuantised;
    const auto scale = scalar(quantize->input(1));
    const auto zero = zero_point(quantize->input(2));
    if (!scale || !zero) return kNotQuantised;
    layer.domain = VectorDomain::kFloat;
    layer.quantization = {std::bit_cast<std::uint32_t>(*scale), *zero};
    absorb(*quantize);
    last = quantize;
  }
  const ValueId result = last->outputs[0];
  layer.out = new_result(result, *axis);
  add_layer(node, result, 0, std::move(layer));
  return std::nullopt;
}

// --- Pools ---

Refusal Planner::plan_pool(const graph::Node& node, WindowLayer layer,
                           const std::vector<graph::WindowDim>& windows) {
  const Shape& input = graph_.type(node.input(0)).shape;
  const auto source = operand(node.input(0), 1);
  if (!source || !is_channel_axis(source->view, 1) || !is_row_axis(source->view, 0)) {
    return kUnreadable;
  }
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    if (!is_row_axis(source->view, axis)) return kUnreadable;
  }
  layer.a = source->view;
  layer.a_quantization = source->quantization;
  layer.walk.images = input[0];
  layer.walk.image_step = source->view.dims[0].row_step;
  layer.walk.x = windows.back();
  layer.walk.x_step = source->view.dims.back().row_step;
  if (windows.size() == 2) {
    layer.walk.y = windows.front();
    layer.walk.y_step = source->view.dims[2].row_step;
  }
  layer.channels = input[1];
  ValueId result = node.outputs[0];
  if (source->dequantized) {
    const graph::Node* quantize = only_user(result);
    if (quantize == nullptr || quantize->op != Op::kQuantizeLinear) return kNotQuantised;
    const auto scale = scalar(quantize->input(1));
    const auto zero = zero_point(quantize->input(2));
    if (!scale || !zero) return kNotQuantised;
    layer.pad = static_cast<std::uint8_t>(source->quantization.zero);
    layer.domain = VectorDomain::kFloat;
    layer.epilogue.domain = VectorDomain::kFloat;
    layer.epilogue.quantization = {std::bit_cast<std::uint32_t>(*scale), *zero};
    absorb(*quantize);
    result = quantize->outputs[0];
  }
  layer.out = new_result(result, 1);
  add_layer(node, result, 0, std::move(layer));
  return std::nullopt;
}

namespace {

/// Windows of a pool; a global one has a single window over all.
std::vector<graph::WindowDim> pool_windows(const graph::Node& node, const Shape& input) {
  const bool global = node.op == Op::kGlobalAveragePool || node.op == Op::kGlobalMaxPool;
  if (!global) {
    return resolve_windows(node.attributes, input, node.attributes.integers("kernel_shape"));
  }
  std::vector<graph::WindowDim> windows;
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    windows.push_back({.input = input[axis], .kernel = input[axis]});
  }
  return windows;
}

/// True if every window has all its taps inside the image, or, with the padding counted, inside
/// image and padding: then all averages divide by the same number.
bool has_one_divisor(const std::vector<graph::WindowDim>& windows, bool count_padding) {
  for (const graph::WindowDim& dim : windows) {
    const std::int64_t last = (dim.output - 1) * dim.stride - dim.pad_begin + dim.extent();
    const bool inside = dim.pad_begin == 0 && last <= dim.input;
    if (!inside && !(count_padding && last <= dim.input + dim.pad_end)) return false;
  }
  return true;
}

}  // namespace

Refusal Planner::plan_max_pool(const graph::Node& node) {
  const Shape& input = graph_.type(node.input(0)).shape;
  if (input.size() > 4 || input.size() < 3) return "windows of three dimensions run on the host";
  if (node.outputs.size() > 1 && node.outputs[1] != graph::kNoValue)
    return "its indices are wanted";
  const auto source = operand(node.input(0), 1);
  if (source && source->dequantized) return "a maximum of dequantised values";
  WindowLayer layer;
  layer.kind = WindowKind::kMax;
  layer.pad = lowest_pattern(config_.dtype);
  return plan_pool(node, std::move(layer), pool_windows(node, input));
}

Refusal Planner::plan_average_pool(const graph::Node& node) {
  const Shape& input = graph_.type(node.input(0)).shape;
  if (input.size() > 4 || input.size() < 3) return "windows of three dimensions run on the host";
  const std::vector<graph::WindowDim> windows = pool_windows(node, input);
  const bool count_padding = node.attributes.integer("count_include_pad", 0) != 0;
  if (!has_one_divisor(windows, count_padding)) return "its windows hold different numbers";
  WindowLayer layer;
  layer.kind = WindowKind::kAverage;
  std::int64_t count = 1;
  for (const graph::WindowDim& dim : windows) count *= dim.kernel;
  layer.epilogue.scale = [count] { return graph::Tensor::scalar(static_cast<float>(count)); };
  layer.epilogue.divides = true;
  return plan_pool(node, std::move(layer), windows);
}

// --- Along the channels ---

Refusal Planner::plan_softmax(const graph::Node& node) {
  if (int8()) return "an int8 machine computes no softmax";
  const Shape& shape = graph_.type(node.input(0)).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0) return "a scalar";
  const auto axis =
      static_cast<std::size_t>(graph::normalized_axis(node.attributes.integer("axis", -1), rank));
  const auto view = plain_operand(node.input(0), axis);
  if (!view || !is_channel_axis(*view, axis)) return "its axis does not lie along the channels";
  const auto walk = walk_rows(*view, axis);
  if (!walk) return kUnreadable;
  SoftmaxLayer layer;
  layer.a = *view;
  layer.walk = *walk;
  layer.channels = shape[axis];
  layer.logarithm = node.op == Op::kLogSoftmax;
  layer.out = new_result(node.outputs[0], axis);
  add_layer(node, node.outputs[0], 0, std::move(layer));
  return std::nullopt;
}

Refusal Planner::plan_layer_normalization(const graph::Node& node) {
  if (int8()) return "an int8 machine computes no normalisation";
  const Shape& shape = graph_.type(node.input(0)).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0 || graph::normalized_axis(node.attributes.integer("axis", -1), rank) != rank - 1) {
    return "it normalises more than the last axis";
  }
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != graph::kNoValue) return "its statistics are wanted";
  }
  const std::size_t axis = shape.size() - 1;
  const auto view = plain_operand(node.input(0), axis);
  if (!view || !is_channel_axis(*view, axis)) return kUnreadable;
  const auto walk = walk_rows(*view, axis);
  if (!walk) return kUnreadable;
  NormalizationLayer layer;
  layer.a = *view;
  layer.walk = *walk;
  layer.channels = shape[axis];
  layer.epsilon = node.attributes.real("epsilon", 1e-5F);
  for (std::size_t i = 1; i <= 2; ++i) {
    if (node.input(i) == graph::kNoValue) continue;
    const graph::Constant* constant = lazy_constant(node.input(i));
    if (constant == nullptr || constant->type().type != DataType::kFloat32) {
      return "its scale or bias is computed";
    }
    (i == 1 ? layer.scale : layer.bias) = [constant = *constant] { return constant.tensor(); };
  }
  layer.out = new_result(node.outputs[0], axis);
  add_layer(node, node.outputs[0], 0, std::move(layer));
  return std::nullopt;
}

namespace {

/// The axis along the channels of the parts of a concatenation along `axis`. A part of one channel
/// leaves open which axis that is; the others tell.
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

Refusal Planner::plan_concat(const graph::Node& node) {
  const ValueId value = node.outputs[0];
  const Shape& shape = graph_.type(value).shape;
  const auto axis = static_cast<std::size_t>(graph::normalized_axis(
      node.attributes.integer("axis", 0), static_cast<std::int64_t>(shape.size())));
  if (!holds(graph_.type(value).type)) return "its elements have a type that the array lacks";
  std::vector<View> views;
  for (const ValueId input : node.inputs) {
    if (graph_.is_constant(input)) return "one of its parts is constant";
    const auto view = plain_operand(input, free_channel_axis(shape.size()));
    if (!view) return kUnreadable;
    views.push_back(*view);
  }
  const auto channels = common_channel_axis(views, axis);
  if (!channels) return kUnreadable;
  // Rows of a part must follow each other in the whole.
  for (std::size_t i = 0; axis != *channels && i < axis; ++i) {
    if (i != *channels && shape[i] != 1) return "its parts interleave";
  }
  ConcatLayer layer;
  layer.out = new_result(value, *channels);
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

}  // namespace weft::network
