// Element-wise layers. A float machine takes a node and a unary function that follows it. An int8
// machine takes all float operators between dequantized values and a QuantizeLinear as one layer:
// integers in, integers out, and binary32 in between, with one step per operator.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "compiler/blocks/constant_rows.h"
#include "compiler/graph/operator_table.h"
#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/planner.h"
#include "compiler/segments/steps/merge_steps.h"

namespace weft::compiler {

using graph::DataType;
using graph::Op;
using graph::ValueId;

namespace {

constexpr const char* kBroadcast = "its second operand is broadcast";

constexpr const char* kJoined = "the lines of its operands are not joined alike";

/// How many lines of an image of this shape are joined in the rows of the layer.
std::int64_t lines_in(const ElementwiseLayer& layer, const Shape& shape, std::size_t axis) {
  return layer.channels / shape[axis];
}

// Constants of several rows stay in the unified buffer while their layer runs. This limits them to
// 1/8 of it.
constexpr std::uint64_t kConstantShare = 8;

/// True if a constant of shape `b` is one number, or one per index of `axis` of `shape`.
bool is_per_channel(const Shape& b, const Shape& shape, std::size_t axis) {
  const std::int64_t count = graph::element_count(b);
  if (count == 1) return true;
  const std::size_t from_end = shape.size() - axis;
  return count == shape[axis] && from_end <= b.size() && b[b.size() - from_end] == count;
}

/// True if rows of shape `b`, broadcast to `shape`, are one block that is repeated as a whole. All
/// axes before a repeated axis must then be repeated too.
bool repeats_blocks(const Shape& b, const Shape& shape, std::size_t axis) {
  const std::size_t missing = shape.size() - b.size();
  bool repeats = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == axis || shape[i] == 1) continue;
    const std::int64_t extent = i < missing ? 1 : b[i - missing];
    if (extent == 1 && !repeats) return false;
    repeats = extent == 1;
  }
  return true;
}

/// Makes the step's operand, of `rows` rows, repeat over the rows of the layer.
Refusal repeat(std::int64_t rows, ElementwiseLayer& layer, LaneStep& step) {
  if (rows == 1 || rows == layer.walk.rows()) return std::nullopt;
  step.b_period = rows;
  if (layer.walk.one_image && layer.walk.x.output == rows) return std::nullopt;
  if (layer.walk.images != 1 || layer.walk.y.output != 1) {
    return "its first operand does not lie in rows";
  }
  layer.walk.images = layer.walk.rows() / rows;
  layer.walk.image_step = layer.walk.x_step * rows;
  layer.walk.x.input = layer.walk.x.output = rows;
  layer.walk.one_image = true;
  return std::nullopt;
}

void set_function(const LaneFunction& function, LaneStep& step) {
  step.op = function.op;
  step.low = function.low;
  step.high = function.high;
}

}  // namespace

std::optional<LaneFunction> Planner::function_of(const graph::Node& node) const {
  if (node.op != Op::kClip) return lane_function(node);
  const auto bound = [&](ValueId value, float otherwise) {
    return value == graph::kNoValue ? std::optional(otherwise) : scalar(value);
  };
  const auto low = bound(node.input(1), -std::numeric_limits<float>::infinity());
  const auto high = bound(node.input(2), std::numeric_limits<float>::infinity());
  if (!low || !high) return std::nullopt;
  return lane_function(to_string(Op::kClip), *low, *high);
}

Refusal Planner::plan_unary(const graph::Node& node) {
  const auto function = function_of(node);
  if (!function && node.op == Op::kClip) return "its bounds are computed";
  if (!function) return fmt::format("the machine has no {}", to_string(node.op));
  LaneStep step;
  set_function(*function, step);
  return plan_elementwise(node, std::move(step));
}

Refusal Planner::plan_binary(const graph::Node& node) {
  if (node.inputs.size() != 2) return "it has more than two operands";
  const auto combine = lane_combine(node.op);
  if (!combine) return fmt::format("the machine has no {}", to_string(node.op));
  LaneStep step;
  step.combine = *combine;
  return plan_elementwise(node, std::move(step));
}

// --- Operands ---

/// Rows of a constant [.., rows, channels] on an int8 machine, whose sheets hold no floats.
Refusal Planner::constant_rows(const graph::Constant& constant, const Shape& shape,
                               std::size_t axis, ElementwiseLayer& layer, LaneStep& step) {
  const Shape& own = constant.type().shape;
  if (own.empty() || own.size() > shape.size() || axis + 1 != shape.size() ||
      own.back() != shape.back()) {
    return "its second operand is broadcast along the channels";
  }
  if (!repeats_blocks(own, shape, axis)) return kBroadcast;
  const std::int64_t rows = graph::element_count(own) / own.back();
  const std::uint64_t buffer = std::uint64_t{config_.unified_buffer_kib} * 1024;
  if (constant_need(rows, own.back(), config_) > buffer / config_.row_bytes() / kConstantShare) {
    return "its constant operand takes too much of the unified buffer";
  }
  step.b_rows = rows;
  return repeat(rows, layer, step);
}

/// The rows of a value: one for all, one for each, or a block that repeats for every leading index.
Refusal Planner::operand_rows(ValueId b, const Shape& shape, std::size_t axis,
                              ElementwiseLayer& layer, LaneStep& step) {
  const Shape& own = graph_.type(b).shape;
  const std::size_t missing = shape.size() - own.size();
  step.b_lane = !int8() && axis >= missing && own[axis - missing] == 1 && shape[axis] != 1;
  if (axis < missing || (own[axis - missing] != shape[axis] && !step.b_lane)) {
    return "its second operand is broadcast along the channels";
  }
  const std::int64_t lines = lines_in(layer, shape, axis);
  const auto second = lines > 1 ? joined_operand(b, axis) : operand(b, axis - missing);
  if (!second || !is_channel_axis(second->view, axis - missing)) return kUnreadable;
  if (second->lines != ImageLines{lines}) return kJoined;
  const bool in_reals = int8() && graph::is_float(graph_.type(b).type);
  if (second->dequantized != in_reals) return "one of its operands is quantized";
  const auto walk = walk_rows(second->view, axis - missing);
  if (!walk || walk->images != 1 || walk->y.output != 1) {
    return "its second operand does not lie in rows";
  }
  const std::int64_t rows = walk->rows();
  step.b = second->view;
  step.b_step = rows == 1 ? 0 : walk->x_step;
  step.b_quantization = second->quantization;
  if (rows != 1 && rows != layer.walk.rows() && !repeats_blocks(own, shape, axis)) {
    return kBroadcast;
  }
  return repeat(rows, layer, step);
}

Refusal Planner::second_operand(ValueId b, const Shape& shape, std::size_t axis,
                                ElementwiseLayer& layer, LaneStep& step) {
  const graph::Constant* constant = lazy_constant(b);
  const bool is_short = constant != nullptr && is_per_channel(constant->type().shape, shape, axis);
  if (!is_short && (constant == nullptr || holds(constant->type().type))) {
    return operand_rows(b, shape, axis, layer, step);
  }
  if (constant->type().type != DataType::kFloat32) return "its constant is not float32";
  const std::int64_t lines = lines_in(layer, shape, axis);
  if (!is_short && lines > 1) return kJoined;
  step.b =
      repeated([constant = *constant] { return constant.tensor(); }, ImageLines{.joined = lines});
  const graph::Tensor* ready = constant->ready();
  if (ready != nullptr && ready->size() == 1) step.number = ready->data<float>()[0];
  return is_short ? std::nullopt : constant_rows(*constant, shape, axis, layer, step);
}

/// The range that Max or Min with one number leaves to int8 values, or to uint8 values minus 128;
/// nullopt for other operations.
std::optional<IntegerBounds> Planner::integer_bounds(Op op, ValueId a, ValueId b) const {
  const DataType type = graph_.type(a).type;
  const bool compares = op == Op::kMax || op == Op::kMin;
  if (!int8() || !compares || (type != DataType::kInt8 && type != DataType::kUint8)) {
    return std::nullopt;
  }
  const auto bound = b == graph::kNoValue ? std::nullopt : zero_point(b);
  if (!bound) return std::nullopt;
  return op == Op::kMax ? IntegerBounds{*bound, 127} : IntegerBounds{-128, *bound};
}

/// Clips in binary32, which represents all these integers.
Refusal Planner::plan_integer_clip(const graph::Node& node, ValueId a,
                                   const IntegerBounds& bounds) {
  ElementwiseLayer layer;
  const auto axis = take_rows(a, layer);
  if (!axis) return kUnreadable;
  const Quantization same{std::bit_cast<std::uint32_t>(1.0F), 0};
  LaneStep step;
  set_function(*lane_function(to_string(Op::kClip), static_cast<float>(bounds.low),
                              static_cast<float>(bounds.high)),
               step);
  layer.domain = VectorDomain::kFloat;
  layer.a_quantization = same;
  layer.quantization = same;
  layer.steps = {std::move(step)};
  layer.out = new_result(node.outputs[0], *axis);
  add_layer(node, node.outputs[0], 0, std::move(layer));
  return std::nullopt;
}

/// Refuses integers, except for the maximum or minimum of two computed int8 values.
Refusal Planner::integer_arithmetic(ValueId a, ValueId b, const LaneStep& step) const {
  const DataType type = graph_.type(a).type;
  const bool compares = step.combine == VectorCombine::kMax || step.combine == VectorCombine::kMin;
  if (graph::is_float(type)) return std::nullopt;
  if (!compares || graph_.is_constant(b) || type == DataType::kUint8) return "integer arithmetic";
  return std::nullopt;
}

// --- Layers ---

/// Gives the layer the rows of `a`, with joined lines if `joined`. Returns their channel axis, or
/// nullopt if they cannot be read.
std::optional<std::size_t> Planner::take_rows(ValueId a, ElementwiseLayer& layer, bool joined) {
  const std::size_t free_axis = free_channel_axis(graph_.type(a).shape.size());
  const auto source = joined ? joined_operand(a, free_axis) : operand(a, free_axis);
  const auto axis = source ? channel_axis_of(source->view) : std::nullopt;
  const auto walk = axis ? walk_rows(source->view, *axis) : std::nullopt;
  if (!walk) return std::nullopt;
  layer.a = source->view;
  layer.a_quantization = source->quantization;
  layer.walk = *walk;
  layer.channels = source->view.dims[*axis].extent;
  return axis;
}

Refusal Planner::plan_elementwise(const graph::Node& node, LaneStep step) {
  ValueId a = node.input(0);
  ValueId b = step.combine == VectorCombine::kNone ? graph::kNoValue : node.input(1);
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  if (shape.empty()) return "a scalar";
  const bool swapped = b != graph::kNoValue && has(node.op, graph::Trait::kCommutes) &&
                       (graph_.is_constant(a) || graph_.type(a).shape != shape);
  if (swapped) std::swap(a, b);
  if (graph_.is_constant(a)) return "its first operand is constant";
  if (graph_.type(a).shape != shape) return "its first operand is broadcast";
  if (const auto bounds = integer_bounds(node.op, a, b)) {
    return plan_integer_clip(node, a, *bounds);
  }
  if (Refusal refusal = integer_arithmetic(a, b, step)) return refusal;
  ElementwiseLayer layer;
  const bool joined = shape.size() == 4 && common_lines(a, b).any();
  const auto axis = take_rows(a, layer, joined);
  if (!axis) return kUnreadable;
  if (b != graph::kNoValue) {
    if (Refusal refusal = second_operand(b, shape, *axis, layer, step)) return refusal;
  }
  layer.steps = {std::move(step)};
  const bool in_reals = graph::is_float(graph_.type(a).type);
  if (int8() && in_reals) return plan_steps(node, *axis, std::move(layer));
  return plan_step(node, *axis, std::move(layer));
}

/// One step in the array's own type. On a float machine it takes a product or quotient after the
/// addition of a constant, and then a function.
Refusal Planner::plan_step(const graph::Node& node, std::size_t axis, ElementwiseLayer layer) {
  const graph::Node* last = &node;
  std::string note;
  const graph::Node* next = int8() ? nullptr : only_user(last->outputs[0]);
  if (next != nullptr && append_factor(*next, last->outputs[0], axis, layer)) {
    absorb(*next);
    note = fmt::format("with {}", to_string(next->op));
    last = next;
    next = only_user(last->outputs[0]);
  }
  if (next != nullptr && next->op != Op::kClip && append_function(*next, layer)) {
    absorb(*next);
    last = next;
  }
  layer.out = result_of(last->outputs[0], axis, layer);
  add_layer(node, last->outputs[0], 0, std::move(layer), std::move(note));
  return std::nullopt;
}

/// Multiplies or divides by an operand of `next` in the step that adds a constant to get `value`.
/// The sum is rounded to binary32, not to the array's type. Sums and differences after the addition
/// stay apart: they may cancel, and no relative bound holds for their error.
bool Planner::append_factor(const graph::Node& next, ValueId value, std::size_t axis,
                            ElementwiseLayer& layer) {
  const bool scales = next.op == Op::kMul || next.op == Op::kDiv;
  return scales && only_shifts(layer.steps.back()) && append_step(next, value, axis, layer);
}

/// A sheet for a result with as many joined lines as the layer's rows have.
View Planner::result_of(ValueId value, std::size_t axis, const ElementwiseLayer& layer) {
  const std::int64_t lines = lines_in(layer, graph_.type(value).shape, axis);
  return lines > 1 ? joined_result(value, {lines}) : new_result(value, axis);
}

/// Puts `next` into the layer's last step. Returns false if that step already has a function.
bool Planner::append_function(const graph::Node& next, ElementwiseLayer& layer) const {
  const auto function = function_of(next);
  if (!function || layer.steps.back().op != VectorOp::kCopy) return false;
  set_function(*function, layer.steps.back());
  return true;
}

/// Adds the step of `next`, which uses `value`; returns false if `next` is no such step.
bool Planner::append_step(const graph::Node& next, ValueId value, std::size_t axis,
                          ElementwiseLayer& layer) {
  if (append_function(next, layer)) return true;
  LaneStep step;
  if (const auto function = function_of(next)) {
    set_function(*function, step);
    layer.steps.push_back(std::move(step));
    return true;
  }
  const auto combine = lane_combine(next.op);
  const graph::ValueType& type = graph_.type(value);
  if (!combine || next.inputs.size() != 2 || graph_.type(next.outputs[0]) != type) return false;
  const bool second = next.inputs[1] == value;
  if (second && !has(next.op, graph::Trait::kCommutes)) return false;
  step.combine = *combine;
  ElementwiseLayer longer = layer;
  if (second_operand(next.inputs[second ? 0 : 1], type.shape, axis, longer, step)) return false;
  add_step(longer.steps, std::move(step));
  layer = std::move(longer);
  return true;
}

/// Takes the operators after `node` as steps, while each is the only user of the one before, up to
/// a QuantizeLinear or to a softmax that is quantized.
Refusal Planner::plan_steps(const graph::Node& node, std::size_t axis, ElementwiseLayer layer) {
  ValueId value = node.outputs[0];
  std::string note;
  const graph::Node* next = only_user(value);
  for (; next != nullptr && append_step(*next, value, axis, layer); next = only_user(value)) {
    absorb(*next);
    note += fmt::format("{}{}", note.empty() ? "with " : ", ", to_string(next->op));
    value = next->outputs[0];
  }
  const bool softmax = next != nullptr && has(next->op, graph::Trait::kSoftmaxLike);
  if (softmax && softmax_axis(*next) == axis) {
    absorb(*next);
    fold_first_steps(layer.steps, 0, layer.a_quantization);
    return plan_softmax_after(*next, std::move(layer));
  }
  const auto quantized = quantized_at_once(value);
  if (!quantized) return kNotQuantized;
  layer.domain = VectorDomain::kFloat;
  layer.quantization = quantized->quantization;
  fold_first_steps(layer.steps, 1, layer.a_quantization);
  fold_last_steps(layer.steps, layer.quantization);
  layer.out = result_of(quantized->result, axis, layer);
  add_layer(node, quantized->result, 0, std::move(layer), std::move(note));
  return std::nullopt;
}

}  // namespace weft::compiler
