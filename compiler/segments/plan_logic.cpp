// Comparisons and choices on a float array. A truth value is stored as 1 or 0. Functions that the
// vector unit lacks become arithmetic without rounding:
//
//   x > b      clamp((x - b) / 2^-149, 0, 1)
//   x < b      clamp(-(x - b) / 2^-149, 0, 1)
//   x == b     1 - clamp(|x - b| / 2^-149, 0, 1)
//   not p      1 - p, as -(p - 1)
//   p ? x : y  x * p + y * (1 - p)
//
// Every difference is a multiple of 2^-149, and only equal numbers give 0, since binary32
// underflows gradually. The value that a choice does not take must be finite. NaN, and infinities
// compared with themselves, give NaN.
#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::DataType;
using graph::ValueId;

namespace {

constexpr float kSmallest = 0x1p-149F;

MakeTensor number(float value) {
  return [value] { return graph::Tensor::scalar(value); };
}

LaneStep with_number(VectorCombine combine, float value, VectorOp op = VectorOp::kCopy) {
  LaneStep step;
  step.combine = combine;
  step.b = number(value);
  step.op = op;
  return step;
}

/// Gives 1 for a number above 0, else 0.
LaneStep is_positive() {
  LaneStep step = with_number(VectorCombine::kDiv, kSmallest, VectorOp::kClamp);
  step.low = std::bit_cast<std::uint32_t>(0.0F);
  step.high = std::bit_cast<std::uint32_t>(1.0F);
  return step;
}

/// Gives 1 for 0, and 0 for 1.
LaneStep negation() {
  return with_number(VectorCombine::kSub, 1, VectorOp::kNeg);
}

}  // namespace

/// True for a constant of one number, 0, whose elements exist already.
bool Planner::is_zero(ValueId value) const {
  const graph::Constant* constant = lazy_constant(value);
  return constant != nullptr && constant->ready() != nullptr && scalar(value) == 0.0F;
}

Refusal Planner::plan_negation(const graph::Node& node) {
  return plan_lane_steps(node, node.input(0), {negation()}, {});
}

/// Passes the rows of `a` through `steps`; step `operand.first` has the operand `operand.second`.
Refusal Planner::plan_lane_steps(const graph::Node& node, ValueId a, std::vector<LaneStep> steps,
                                 std::optional<std::pair<std::size_t, ValueId>> operand) {
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  if (shape.empty()) return "a scalar";
  if (graph_.is_constant(a)) return "its first operand is constant";
  if (graph_.type(a).shape != shape) return "its first operand is broadcast";
  ElementwiseLayer layer;
  const auto axis = take_rows(a, layer);
  if (!axis) return kUnreadableByArray;
  if (operand) {
    LaneStep& step = steps[operand->first];
    if (Refusal refusal = second_operand(operand->second, shape, *axis, layer, step)) {
      return refusal;
    }
  }
  layer.steps = std::move(steps);
  layer.domain = VectorDomain::kFloat;
  layer.out = new_result(node.outputs[0], *axis);
  add_layer(node, node.outputs[0], 0, std::move(layer));
  return std::nullopt;
}

Refusal Planner::plan_comparison(const graph::Node& node, VectorOp sign) {
  ValueId a = node.input(0);
  ValueId b = node.input(1);
  const bool equality = sign == VectorOp::kAbs;
  if (!graph::is_float(graph_.type(a).type)) return "it compares integers";
  if (graph_.is_constant(a) || graph_.type(a).shape != graph_.type(node.outputs[0]).shape) {
    std::swap(a, b);
    if (!equality) sign = sign == VectorOp::kCopy ? VectorOp::kNeg : VectorOp::kCopy;
  }
  std::vector<LaneStep> steps;
  const bool with_zero = is_zero(b);
  if (!with_zero || sign != VectorOp::kCopy) {
    LaneStep difference;
    if (!with_zero) difference.combine = VectorCombine::kSub;
    difference.op = sign;
    steps.push_back(std::move(difference));
  }
  steps.push_back(is_positive());
  if (equality) steps.push_back(negation());
  return plan_lane_steps(node, a, std::move(steps),
                         with_zero ? std::nullopt : std::optional(std::pair(std::size_t{0}, b)));
}

Refusal Planner::plan_choice(const graph::Node& node) {
  const ValueId condition = node.input(0);
  const ValueId yes = node.input(1);
  const ValueId no = node.input(2);
  if (!graph::is_float(graph_.type(yes).type)) return "it chooses among integers";
  if (!segment_->values.contains(condition)) return "its condition is on the host";
  LaneStep product;
  product.combine = VectorCombine::kMul;
  if (is_zero(no)) {
    const bool chooses_number = graph_.is_constant(yes);
    return plan_lane_steps(node, chooses_number ? condition : yes, {std::move(product)},
                           std::pair(std::size_t{0}, chooses_number ? yes : condition));
  }
  if (!is_zero(yes)) return plan_choice_of_two(node);
  return plan_lane_steps(node, condition, {negation(), std::move(product)},
                         std::pair(std::size_t{1}, no));
}

/// Computes yes * p into a sheet, then adds (1 - p) * no to it.
Refusal Planner::plan_choice_of_two(const graph::Node& node) {
  const ValueId condition = node.input(0);
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  for (const ValueId value : {condition, node.input(1), node.input(2)}) {
    if (graph_.is_constant(value) || graph_.type(value).shape != shape) {
      return "it chooses between values that are broadcast";
    }
  }
  if (shape.empty()) return "a scalar";
  const auto product = [] {
    LaneStep step;
    step.combine = VectorCombine::kMul;
    return step;
  };
  ElementwiseLayer chosen;
  ElementwiseLayer other;
  const auto axis = take_rows(node.input(1), chosen);
  if (!axis || take_rows(condition, other) != axis) return kUnreadableByArray;
  chosen.steps = {product()};
  LaneStep sum;
  sum.combine = VectorCombine::kAdd;
  sum.b_step = 1;
  other.steps = {negation(), product(), sum};
  if (Refusal refusal = second_operand(condition, shape, *axis, chosen, chosen.steps[0])) {
    return refusal;
  }
  if (Refusal refusal = second_operand(node.input(2), shape, *axis, other, other.steps[1])) {
    return refusal;
  }
  chosen.domain = other.domain = VectorDomain::kFloat;
  chosen.out = dense_view(segment_->sheets.size(), shape, *axis);
  Sheet sheet;
  sheet.size = dense_sheet(shape, *axis);
  segment_->sheets.push_back(std::move(sheet));
  other.steps[2].b = chosen.out;
  add_movement("Where", graph::kNoValue, shape, std::move(chosen),
               "the values to take where the condition is true");
  other.out = new_result(node.outputs[0], *axis);
  add_layer(node, node.outputs[0], 0, std::move(other));
  return std::nullopt;
}

Refusal Planner::plan_truths(const graph::Node& node, VectorCombine combine) {
  LaneStep step;
  step.combine = combine;
  const bool swapped = graph_.type(node.input(0)).shape != graph_.type(node.outputs[0]).shape;
  return plan_lane_steps(node, node.input(swapped ? 1 : 0), {std::move(step)},
                         std::pair(std::size_t{0}, node.input(swapped ? 0 : 1)));
}

/// Truth values are numbers already: the result is the same elements.
Refusal Planner::plan_cast(const graph::Node& node) {
  const auto known = segment_->values.find(node.input(0));
  if (known == segment_->values.end()) return "its input is on the host already";
  const DataType from = graph_.type(node.input(0)).type;
  const DataType to = graph_.type(node.outputs[0]).type;
  if (from != to && (from != DataType::kBool || !holds(to))) return "it converts its elements";
  const LayerOperand same = known->second;
  segment_->values[node.outputs[0]] = same;
  return std::nullopt;
}

}  // namespace weft::compiler
