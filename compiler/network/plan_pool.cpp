// Pools: windows on the vector unit.
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/network/planner.h"

namespace weft::network {

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

}  // namespace

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
    const auto quantised = quantised_at_once(result);
    if (!quantised) return kNotQuantised;
    layer.pad = static_cast<std::uint8_t>(source->quantization.zero);
    layer.domain = VectorDomain::kFloat;
    layer.epilogue.domain = VectorDomain::kFloat;
    layer.epilogue.quantization = quantised->quantization;
    result = quantised->result;
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

}  // namespace weft::network
