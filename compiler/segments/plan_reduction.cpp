// Reductions: along the channels of each row, or over all pixels of an image, as a pool does.
#include <algorithm>
#include <utility>

#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::ValueId;

namespace {

/// True if `axes` are all the axes after the channels of an image.
bool covers_image(const std::vector<std::int64_t>& axes, std::size_t rank) {
  if (rank < 3 || rank > 4 || axes.size() + 2 != rank) return false;
  return axes.front() == 2 && axes.back() + 1 == static_cast<std::int64_t>(rank);
}

/// The axis that is kept, if all other kept axes have one element; else nullopt.
std::optional<std::size_t> only_kept_axis(const std::vector<std::int64_t>& axes,
                                          const Shape& shape) {
  std::optional<std::size_t> kept;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end()) continue;
    if (kept && shape[axis] != 1) return std::nullopt;
    if (!kept || shape[axis] != 1) kept = axis;
  }
  return kept;
}

}  // namespace

/// The reduced axes, counted from the front and sorted; nullopt if they are computed.
std::optional<std::vector<std::int64_t>> Planner::reduced_axes(const graph::Node& node) const {
  const auto rank = static_cast<std::int64_t>(graph_.type(node.input(0)).shape.size());
  std::vector<std::int64_t> axes = node.attributes.integers("axes");
  if (node.input(1) != graph::kNoValue) {
    const auto given = constant(node.input(1));
    if (!given) return std::nullopt;
    axes = graph::to_int64(*given);
  }
  for (std::int64_t& axis : axes) axis = graph::normalized_axis(axis, rank);
  std::ranges::sort(axes);
  return axes;
}

Refusal Planner::plan_reduction(const graph::Node& node, ReductionKind kind) {
  const Shape& shape = graph_.type(node.input(0)).shape;
  const auto axes = reduced_axes(node);
  if (!axes) return "its axes are computed";
  if (axes->empty()) return "it reduces all axes";
  if (graph::element_count(shape) == 0) return "it is empty";
  if (!graph::is_float(graph_.type(node.input(0)).type)) return "integer arithmetic";
  if (axes->size() == 1 && axes->front() + 1 == static_cast<std::int64_t>(shape.size())) {
    if (Refusal refusal = plan_row_reduction(node, kind); !refusal) return refusal;
  }
  if (const auto kept = only_kept_axis(*axes, shape)) {
    if (Refusal refusal = plan_sum_of_rows(node, kind, *kept, *axes); !refusal) return refusal;
  }
  if (!covers_image(*axes, shape.size()))
    return "it reduces other axes than the channels or all pixels";
  return plan_image_reduction(node, kind);
}

/// Reduces each row to one channel. The rows keep their order, whether or not the result keeps the
/// axis.
Refusal Planner::plan_row_reduction(const graph::Node& node, ReductionKind kind) {
  const Shape& shape = graph_.type(node.input(0)).shape;
  const std::size_t axis = shape.size() - 1;
  const auto rows = lane_rows(node.input(0), axis);
  if (!rows) return kUnreadable;
  ReductionLayer layer;
  layer.kind = kind;
  layer.a = rows->view;
  layer.walk = rows->walk;
  layer.channels = shape[axis];
  layer.a_quantization = rows->quantization;
  ValueId result = node.outputs[0];
  if (int8()) {
    const auto quantized = quantized_at_once(result);
    if (!quantized) return kNotQuantized;
    layer.quantization = quantized->quantization;
    result = quantized->result;
  }
  Shape kept = shape;
  kept[axis] = 1;
  layer.out = new_result(result, axis, kept);
  add_layer(node, result, 0, std::move(layer));
  return std::nullopt;
}

Refusal Planner::plan_image_reduction(const graph::Node& node, ReductionKind kind) {
  const Shape& shape = graph_.type(node.input(0)).shape;
  const bool maximum = kind == ReductionKind::kMax;
  if (kind == ReductionKind::kMin) return "the minimum of an image";
  if (maximum && int8()) return "a maximum of dequantized values";
  std::vector<graph::WindowDim> windows;
  std::int64_t count = 1;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) {
    windows.push_back({.input = shape[axis], .kernel = shape[axis]});
    count *= shape[axis];
  }
  WindowLayer layer;
  layer.kind = maximum ? WindowKind::kMax : WindowKind::kAverage;
  if (kind == ReductionKind::kMean) {
    layer.epilogue.scale = [count] { return graph::Tensor::scalar(static_cast<float>(count)); };
    layer.epilogue.divides = true;
  }
  return plan_pool(node, std::move(layer), windows);
}

}  // namespace weft::compiler
