// Convolutions with computed weights, such as gradients of filters: an image [C, N, H, W] with C in
// the channels, and weights [M, N, h, w] with M in the channels. One sum runs over all N images and
// h*w positions:
//
//   out[c, m, y, x] = sum over n, i, j of
//                     image[c, n, y*s-p + i*d, x*s-p + j*d] * weights[m, n, i, j]
//
//   weights transposed by the array    [M, N*h*w]
//   the image, as each (y, x) sees it  [N*h*w, (y, x, c)]     one shifted copy for each (y, x)
//   their product                      [M, (y, x, c)]
#include <utility>
#include <vector>

#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::ValueId;
using graph::WindowDim;

namespace {

bool lies_as_channels(const View& view) {
  for (std::size_t axis = 1; axis < view.dims.size(); ++axis) {
    if (!is_row_axis(view, axis)) return false;
  }
  return is_channel_axis(view, 0);
}

/// How many rows all axes but the first have; nullopt unless they are consecutive in axis order.
std::optional<std::int64_t> dense_rows(const View& view) {
  std::int64_t rows = 1;
  for (std::size_t axis = view.dims.size(); axis-- > 1;) {
    if (view.dims[axis].extent != 1 && view.dims[axis].row_step != rows) return std::nullopt;
    rows *= view.dims[axis].extent;
  }
  return rows;
}

/// The positions that output `at` of `dim` reads, one per position of the weights: windows of one
/// tap.
WindowDim positions(const WindowDim& dim, std::int64_t at) {
  return {.input = dim.input,
          .output = dim.kernel,
          .stride = dim.dilation,
          .pad_begin = dim.pad_begin - at * dim.stride};
}

}  // namespace

Refusal Planner::plan_weight_gradient(const graph::Node& node) {
  const Shape& shape = graph_.type(node.input(0)).shape;
  const Shape& filters = graph_.type(node.input(1)).shape;
  const bool plain = node.input(2) == graph::kNoValue && node.input(3) == graph::kNoValue &&
                     !node.attributes.has("activation");
  if (!plain || shape.size() > 4 || node.attributes.integer("group", 1) != 1) {
    return kComputedWeights;
  }
  const auto image = plain_operand(node.input(0), 0);
  const auto weights = plain_operand(node.input(1), 0);
  if (!image || !weights || !lies_as_channels(*image) || !lies_as_channels(*weights)) {
    return "its weights are computed, but not laid out as for a filter's gradient";
  }
  const auto rows = dense_rows(*weights);
  if (!rows || weights->channel % config_.array_rows != 0) {
    return "its weights are computed, but their rows are not consecutive";
  }
  if (!tile_fits(*rows)) return kTooManyRows;
  const std::vector<WindowDim> windows =
      resolve_windows(node.attributes, shape, {filters.begin() + 2, filters.end()});
  const View seen = seen_by_outputs(*image, windows, *rows);
  ContractionLayer layer;
  const View flat{
      weights->sheet, weights->row, weights->channel, {{filters[0], 0, 1}, {*rows, 1, 0}}};
  layer.a = turned_copy(flat, graph::kNoValue, false);
  layer.walk.x.input = layer.walk.x.output = filters[0];
  layer.k = *rows;
  layer.n = seen.dims[1].extent;
  layer.weights = ComputedWeights{seen, false, {}};
  layer.out = gradient_result(node.outputs[0], only_leaves(node.outputs[0]));
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.k * layer.n);
  add_layer(node, node.outputs[0], macs, std::move(layer), "its weights are computed: one product");
  return std::nullopt;
}

/// Copies the image [C, N, ...] to rows (N, positions of the weights) and channels (outputs.., C).
View Planner::seen_by_outputs(const View& image, const std::vector<WindowDim>& windows,
                              std::int64_t rows) {
  const std::int64_t channels = image.dims[0].extent;
  const WindowDim& x = windows.back();
  const WindowDim y = windows.size() == 2 ? windows[0] : WindowDim{};
  const std::int64_t outputs = y.output * x.output;
  Sheet sheet;
  sheet.size = {rows, outputs * channels};
  ConcatLayer layer;
  layer.out = dense_view(segment_->sheets.size(), {rows, outputs * channels}, 1);
  segment_->sheets.push_back(std::move(sheet));
  for (std::int64_t at = 0; at < outputs; ++at) {
    ElementwiseLayer part;
    part.a = image;
    part.walk.images = image.dims[1].extent;
    part.walk.image_step = image.dims[1].row_step;
    part.walk.y = positions(y, at / x.output);
    part.walk.x = positions(x, at % x.output);
    part.walk.y_step = windows.size() == 2 ? image.dims[2].row_step : 0;
    part.walk.x_step = image.dims.back().row_step;
    part.channels = channels;
    part.out = sliced(layer.out, 1, at * channels, channels, 1);
    layer.parts.push_back(std::move(part));
  }
  View seen = layer.out;
  add_movement("Concat", graph::kNoValue, seen.shape(), std::move(layer),
               "shifted copies of the image, one for each element of the filters");
  return seen;
}

/// Adds the result sheet [M, (y, x, C)] of a value [C, M, y, x].
View Planner::gradient_result(ValueId value, bool wide) {
  const Shape& shape = graph_.type(value).shape;
  View view{segment_->sheets.size(), 0, 0, {{shape[0], 0, 1}, {shape[1], 1, 0}}};
  std::int64_t step = shape[0];
  view.dims.resize(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 2;) {
    view.dims[axis] = {shape[axis], 0, step};
    step *= shape[axis];
  }
  Sheet sheet;
  sheet.size = {shape[1], step};
  sheet.value = value;
  sheet.wide = wide;
  sheet.view = view;
  segment_->sheets.push_back(std::move(sheet));
  segment_->values[value] = {.view = view};
  return view;
}

}  // namespace weft::compiler
