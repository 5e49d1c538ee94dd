// Nodes that move nothing: the result is the same elements seen through another view.
#include <algorithm>
#include <bit>

#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::ValueId;

namespace {

constexpr const char* kOnHost = "its input is on the host already";
constexpr const char* kMoves = "the elements would have to be moved";

/// True if axis 1 of an image [N, C, ...] lies along the channels and all others along rows.
/// Checking axis 1 is not enough: with one element it may lie anywhere, and another axis may be the
/// channels.
bool lies_as_image(const View& view) {
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    if (axis == 1 ? !is_channel_axis(view, axis) : !is_row_axis(view, axis)) return false;
  }
  return true;
}

}  // namespace

/// The operand of a value of this segment, its lines apart; nullptr if the value is on the host or
/// flattened.
const LayerOperand* Planner::view_of(ValueId value) {
  const auto known = segment_->values.find(value);
  if (known == segment_->values.end() || known->second.flattened) return nullptr;
  if (known->second.lines.any()) take_apart(value, LayerOperand(known->second));
  return &known->second;
}

Refusal Planner::plan_dequantize(const graph::Node& node) {
  if (!int8()) return "a float array cannot hold integers";
  const auto scale = scalar(node.input(1));
  const auto zero = zero_point(node.input(2));
  if (!scale || !zero) return "its scale or zero point is not a single constant";
  const graph::ValueType& type = graph_.type(node.input(0));
  const auto source = joined_operand(node.input(0), free_channel_axis(type.shape.size()));
  if (!source) return kOnHost;
  LayerOperand result = *source;
  result.quantization = {std::bit_cast<std::uint32_t>(*scale), *zero};
  result.dequantized = true;
  segment_->values[node.outputs[0]] = result;
  return std::nullopt;
}

bool Planner::transposes_for_product(const graph::Node& node) const {
  const ValueId result = node.outputs[0];
  if (int8() || node.op != graph::Op::kTranspose || graph_.is_constant(node.input(0)) ||
      graph_.type(result).shape.size() < 2 || is_output_[result]) {
    return false;
  }
  const bool is_matrix = graph_.type(result).shape.size() == 2;
  return std::ranges::all_of(users_[result], [&](std::size_t user) {
    const graph::Node& product = graph_.nodes[user];
    return product.op == (is_matrix ? graph::Op::kMatMul : graph::Op::kConv) &&
           !graph_.is_constant(product.input(0)) && !graph_.is_constant(product.input(1));
  });
}

Refusal Planner::plan_view(const graph::Node& node) {
  if (transposes_for_product(node)) {
    if (const auto source = operand(node.input(0), 1)) segment_->values[node.input(0)] = *source;
  }
  const LayerOperand* source = view_of(node.input(0));
  if (source == nullptr) return kOnHost;
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != graph::kNoValue) return "its output for the mask is used";
  }
  LayerOperand result = *source;
  if (node.op == graph::Op::kTranspose) {
    std::vector<std::int64_t> reversed;
    for (std::size_t i = source->view.dims.size(); i-- > 0;) {
      reversed.push_back(static_cast<std::int64_t>(i));
    }
    result.view = transposed(source->view, node.attributes.integers("perm", reversed));
  } else {
    const auto view = reshaped(source->view, graph_.type(node.outputs[0]).shape);
    // No layer can read images with all their pixels in the channels.
    if (view && view->dims.size() == 4 && source->view.dims.size() == 2 &&
        !channel_axis_of(*view)) {
      const LayerOperand moved = *source;
      if (Refusal refusal = plan_rearranged(node, moved); !refusal) return refusal;
    }
    if (!view) {
      const LayerOperand moved = *source;
      if (Refusal refusal = plan_flatten(node, moved); !refusal) return refusal;
      return plan_rearranged(node, moved);
    }
    result.view = *view;
  }
  segment_->values[node.outputs[0]] = result;
  return std::nullopt;
}

/// [N, C, H, W] to [N, C*H*W] moves elements, but a matrix product with constant weights can read
/// the image where it lies.
Refusal Planner::plan_flatten(const graph::Node& node, const LayerOperand& source) {
  const ValueId result = node.outputs[0];
  const Shape& from = graph_.type(node.input(0)).shape;
  const Shape& to = graph_.type(result).shape;
  const bool flattens = (from.size() == 3 || from.size() == 4) && to.size() == 2 &&
                        to[0] == from[0] && lies_as_image(source.view);
  if (!flattens || source.dequantized || is_output_[result] || users_[result].empty()) {
    return kMoves;
  }
  for (const std::size_t user : users_[result]) {
    const graph::Node& product = graph_.nodes[user];
    const bool multiplies = product.op == graph::Op::kGemm || product.op == graph::Op::kMatMul ||
                            product.op == graph::Op::kQLinearMatMul;
    const std::size_t weights = operator_of(product.op).product.b;
    if (!multiplies || product.input(0) != result ||
        lazy_constant(product.input(weights)) == nullptr) {
      return kMoves;
    }
  }
  LayerOperand operand = source;
  operand.flattened = true;
  segment_->values[result] = operand;
  return std::nullopt;
}

Refusal Planner::plan_slice(const graph::Node& node) {
  const LayerOperand* source = view_of(node.input(0));
  if (source == nullptr) return kOnHost;
  const auto starts = constant(node.input(1));
  if (!starts) return "its bounds are computed";
  const std::vector<std::int64_t> begins = graph::to_int64(*starts);
  std::vector<std::int64_t> axes;
  if (const auto given = constant(node.input(3))) axes = graph::to_int64(*given);
  std::vector<std::int64_t> steps(begins.size(), 1);
  if (const auto given = constant(node.input(4))) steps = graph::to_int64(*given);
  LayerOperand result = *source;
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (steps[i] < 1) return "its step is negative";
    const std::int64_t given = axes.empty() ? static_cast<std::int64_t>(i) : axes[i];
    const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
    const std::int64_t extent = source->view.dims[axis].extent;
    const std::int64_t begin = begins[i] < 0 ? begins[i] + extent : begins[i];
    result.view = sliced(result.view, axis, std::clamp<std::int64_t>(begin, 0, extent), shape[axis],
                         steps[i]);
  }
  if (graph::element_count(shape) == 0) return "it is empty";
  segment_->values[node.outputs[0]] = result;
  return std::nullopt;
}

/// Takes one index of one axis: a slice without that axis.
Refusal Planner::plan_gather(const graph::Node& node) {
  const LayerOperand* source = view_of(node.input(0));
  if (source == nullptr) return "the machine gathers only by a single constant index";
  const auto index = constant(node.input(1));
  if (!index || index->rank() != 0) return "the machine gathers only by a single constant index";
  const auto rank = static_cast<std::int64_t>(source->view.dims.size());
  const std::int64_t given = node.attributes.integer("axis", 0);
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  const std::int64_t extent = source->view.dims[axis].extent;
  const std::int64_t at = graph::to_int64(*index).front();
  if (at < -extent || at >= extent) return "its index is out of range";
  LayerOperand result = *source;
  result.view = sliced(source->view, axis, at < 0 ? at + extent : at, 1, 1);
  result.view.dims.erase(result.view.dims.begin() + static_cast<std::ptrdiff_t>(axis));
  segment_->values[node.outputs[0]] = result;
  return std::nullopt;
}

Refusal Planner::plan_split(const graph::Node& node) {
  const LayerOperand* source = view_of(node.input(0));
  if (source == nullptr) return kOnHost;
  const auto rank = static_cast<std::int64_t>(source->view.dims.size());
  const std::int64_t given = node.attributes.integer("axis", 0);
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  const LayerOperand whole = *source;
  std::int64_t begin = 0;
  for (const ValueId output : node.outputs) {
    if (output == graph::kNoValue) return "one of its outputs has no name";
    const std::int64_t extent = graph_.type(output).shape[axis];
    if (extent == 0) return "a part of it is empty";
    LayerOperand part = whole;
    part.view = sliced(whole.view, axis, begin, extent, 1);
    segment_->values[output] = part;
    begin += extent;
  }
  return std::nullopt;
}

}  // namespace weft::compiler
