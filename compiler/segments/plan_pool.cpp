// Pools: windows on the vector unit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/blocks/constant_rows.h"
#include "compiler/graph/operator_table.h"
#include "compiler/mapping/map_lanes.h"
#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::Op;
using graph::ValueId;

namespace {

/// The padding of a maximum.
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

/// Refuses a pool if not even one of its windows fits in the unified buffer. `input` is the sheet
/// that it reads, `result` the shape of its result.
Refusal window_too_large(WindowLayer layer, const Sheet& input, const Shape& result,
                         const MachineConfig& config) {
  layer.a.sheet = 0;
  layer.out = dense_view(1, result, 1);
  const BufferNeed need = least_need(layer, {input, Sheet{.size = dense_sheet(result, 1)}}, config);
  if (need.rows <= need.there) return std::nullopt;
  return fmt::format(
      "a window and its result take {} rows or {} bytes at once, and the unified buffer has {} "
      "rows "
      "or {} bytes",
      need.rows, need.rows * config.row_bytes(), need.there, need.there * config.row_bytes());
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
  if (Refusal refusal = window_too_large(layer, segment_->sheets[source->view.sheet],
                                         graph_.type(result).shape, config_)) {
    return refusal;
  }
  if (source->dequantized) {
    const auto quantized = quantized_at_once(result);
    if (!quantized) return kNotQuantized;
    layer.pad = static_cast<std::uint8_t>(source->quantization.zero);
    layer.domain = VectorDomain::kFloat;
    layer.epilogue.domain = VectorDomain::kFloat;
    layer.epilogue.quantization = quantized->quantization;
    result = quantized->result;
  }
  layer.out = new_result(result, 1);
  add_layer(node, result, 0, std::move(layer));
  return std::nullopt;
}

namespace {

/// The windows of a pool. A global pool has one window over the whole image.
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

/// For each window along one dimension, how many taps hit elements. With `count_padding`, taps on
/// padding count too, but not on what ceil_mode adds after it.
std::vector<std::int64_t> tap_counts(const graph::WindowDim& dim, bool count_padding) {
  const std::int64_t low = count_padding ? -dim.pad_begin : 0;
  const std::int64_t high = dim.input + (count_padding ? dim.pad_end : 0);
  std::vector<std::int64_t> counts;
  for (std::int64_t window = 0; window < dim.output; ++window) {
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < dim.kernel; ++tap) {
      const std::int64_t at = window * dim.stride - dim.pad_begin + tap * dim.dilation;
      if (at >= low && at < high) ++count;
    }
    counts.push_back(count);
  }
  return counts;
}

bool all_equal(const std::vector<std::int64_t>& counts) {
  return std::ranges::all_of(counts, [&](std::int64_t count) { return count == counts.front(); });
}

}  // namespace

Refusal Planner::plan_max_pool(const graph::Node& node) {
  const Shape& input = graph_.type(node.input(0)).shape;
  if (input.size() > 4 || input.size() < 3) return "windows of three dimensions run on the host";
  if (node.outputs.size() > 1 && node.outputs[1] != graph::kNoValue)
    return "its output for the indices is used";
  const auto known = segment_->values.find(node.input(0));
  if (known != segment_->values.end() && known->second.dequantized) {
    return "a maximum of dequantized values";
  }
  const std::vector<graph::WindowDim> windows = pool_windows(node, input);
  if (const auto lines = pooled_lines(node, windows)) {
    plan_joined_pool(node, windows, *lines);
    return std::nullopt;
  }
  WindowLayer layer;
  layer.kind = WindowKind::kMax;
  layer.pad = lowest_pattern(config_.dtype);
  return plan_pool(node, std::move(layer), windows);
}

/// The joined lines that a maximum reads and writes; nullopt if it reads single lines.
std::optional<JoinedLines> Planner::pooled_lines(
    const graph::Node& node, const std::vector<graph::WindowDim>& windows) const {
  if (windows.size() != 2) return std::nullopt;
  const graph::WindowDim& y = windows[0];
  const ImageLines in = common_lines(node.input(0), graph::kNoValue);
  const JoinedLines lines{in, {in.joined / y.stride}};
  const bool is_planned = !lines.out.any() || lines_[node.outputs[0]] == lines.out;
  if (!in.any() || !is_planned || !can_pool_joined(y, lines)) return std::nullopt;
  return lines;
}

/// The maximum of an image of joined lines: first along the columns, for all joined lines at once.
/// Then each line of a result row takes the largest of the lines that its window reaches, which lie
/// in other lanes.
void Planner::plan_joined_pool(const graph::Node& node,
                               const std::vector<graph::WindowDim>& windows,
                               const JoinedLines& lines) {
  const Shape& input = graph_.type(node.input(0)).shape;
  const LayerOperand source = *joined_operand(node.input(0), 1);
  const Shape wide = source.view.shape();
  WindowLayer columns;
  columns.kind = WindowKind::kMax;
  columns.pad = lowest_pattern(config_.dtype);
  columns.a = source.view;
  columns.walk.images = wide[0];
  columns.walk.image_step = source.view.dims[0].row_step;
  columns.walk.y.input = columns.walk.y.output = wide[2];
  columns.walk.y_step = source.view.dims[2].row_step;
  columns.walk.x = windows[1];
  columns.walk.x_step = source.view.dims[3].row_step;
  columns.channels = wide[1];
  const Shape narrow = {wide[0], wide[1], wide[2], windows[1].output};
  columns.out = dense_view(segment_->sheets.size(), narrow, 1);
  Sheet sheet;
  sheet.size = dense_sheet(narrow, 1);
  sheet.view = columns.out;
  const View maxima = columns.out;
  segment_->sheets.push_back(std::move(sheet));
  add_movement("MaxPool", graph::kNoValue, narrow, std::move(columns),
               fmt::format("along columns, {} lines in a row", lines.in.joined));

  ConcatLayer layer;
  layer.out = joined_result(node.outputs[0], lines.out);
  for (std::int64_t line = 0; line < lines.out.joined; ++line) {
    layer.parts.push_back(largest_of_lines(maxima, windows[0], lines, line));
    layer.parts.back().channels = input[1];
    layer.parts.back().out = layer.out;
    layer.parts.back().out.channel = line * input[1];
  }
  add_layer(node, node.outputs[0], 0, std::move(layer), "along lines");
}

/// One line of each joined line of the result, from the maxima along columns.
ElementwiseLayer Planner::largest_of_lines(const View& maxima, const graph::WindowDim& y,
                                           const JoinedLines& lines, std::int64_t line) const {
  const std::int64_t channels = maxima.dims[1].extent / lines.in.joined;
  ElementwiseLayer part;
  part.pad = lowest_pattern(config_.dtype);
  part.walk.images = maxima.dims[0].extent;
  part.walk.image_step = maxima.dims[0].row_step;
  part.walk.y.input = part.walk.y.output = maxima.dims[2].extent;
  part.walk.y_step = maxima.dims[2].row_step;
  part.walk.x.input = part.walk.x.output = maxima.dims[3].extent;
  part.steps.clear();
  std::vector<LineReach> taps;
  for (std::int64_t tap = 0; tap < y.kernel; ++tap) taps.push_back(reach(y, lines, line, tap));
  // The first operand alone may reach the border.
  std::ranges::stable_sort(taps, {}, [](const LineReach& tap) { return tap.joined == 0; });
  for (std::size_t i = 0; i < taps.size(); ++i) {
    View view = maxima;
    view.channel = taps[i].line * channels;
    if (i == 0) {
      part.a = view;
      part.walk.y.pad_begin = -taps[i].joined;
      continue;
    }
    LaneStep step;
    step.combine = VectorCombine::kMax;
    step.b = view;
    step.b_step = 1;
    part.steps.push_back(std::move(step));
  }
  if (int8()) {
    // In binary32, which represents all these integers.
    const Quantization same{std::bit_cast<std::uint32_t>(1.0F), 0};
    part.domain = VectorDomain::kFloat;
    part.a_quantization = part.quantization = same;
    for (LaneStep& step : part.steps) step.b_quantization = same;
  }
  if (part.steps.empty()) part.steps.emplace_back();
  return part;
}

Refusal Planner::plan_average_pool(const graph::Node& node) {
  const Shape& input = graph_.type(node.input(0)).shape;
  if (input.size() > 4 || input.size() < 3) return "windows of three dimensions run on the host";
  const std::vector<graph::WindowDim> windows = pool_windows(node, input);
  const bool count_padding = node.attributes.integer("count_include_pad", 0) != 0;
  WindowLayer layer;
  layer.kind = WindowKind::kAverage;
  layer.line_counts =
      windows.size() == 2 ? tap_counts(windows[0], count_padding) : std::vector<std::int64_t>{1};
  layer.column_counts = tap_counts(windows.back(), count_padding);
  for (const auto* counts : {&layer.line_counts, &layer.column_counts}) {
    if (std::ranges::find(*counts, 0) != counts->end())
      return "one of its windows holds only padding";
  }
  if (all_equal(layer.line_counts) && all_equal(layer.column_counts)) {
    const std::int64_t count = layer.line_counts.front() * layer.column_counts.front();
    layer.epilogue.scale = [count] { return graph::Tensor::scalar(static_cast<float>(count)); };
    layer.epilogue.divides = true;
    layer.line_counts.clear();
    layer.column_counts.clear();
  } else if (!divisors_fit(layer, config_)) {
    return "the divisors of its windows take too much of the unified buffer";
  }
  return plan_pool(node, std::move(layer), windows);
}

}  // namespace weft::compiler
