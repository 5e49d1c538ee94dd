// Reshapes that move elements, on float arrays.
//
// If the channels stay as they are, the vector unit copies rows in their new order. Between an
// image [N, C, H, W] and rows [N, C*H*W] elements move from lane to lane. The array does this as a
// product with matrices that have one 1 in each column:
//
//   flat[n, j]     = sum over p, c of image[n, p, c] * (j == c*H*W + p)   windows over whole images
//   image[p, n, c] = sum over j of flat[n, j] * (j == c*H*W + p)          one product for each p
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::DataType;
using graph::Tensor;
using graph::ValueId;

namespace {

// The most columns that the array moves: its matrices have the square of this many elements.
constexpr std::int64_t kMostMoved = 2048;
// The most parts in which rows are copied.
constexpr std::int64_t kMostParts = 4096;
// A walk has this many loops.
constexpr std::size_t kLoops = 3;

/// [matrices, size, columns] with a 1 where column c of matrix p meets row c * matrices + p. A
/// single matrix has as many columns as rows and is the identity.
MakeTensor moves(std::int64_t matrices, std::int64_t columns) {
  return [matrices, columns] {
    const std::int64_t size = matrices * columns;
    Tensor tensor(DataType::kFloat32, {matrices, size, columns});
    const auto out = tensor.mutable_data<float>();
    for (std::int64_t p = 0; p < matrices; ++p) {
      for (std::int64_t c = 0; c < columns; ++c) {
        out[unsigned_of((p * size + c * matrices + p) * columns + c)] = 1;
      }
    }
    return tensor;
  };
}

/// The loops over the rows of all axes but `axis`, outermost first. Axes that continue each other
/// are one loop.
std::vector<ViewDim> row_loops(const View& view, std::size_t axis) {
  std::vector<ViewDim> loops;
  for (std::size_t i = 0; i < view.dims.size(); ++i) {
    const ViewDim& dim = view.dims[i];
    if (i == axis || dim.extent == 1) continue;
    if (!loops.empty() && loops.back().row_step == dim.row_step * dim.extent) {
      loops.back() = {loops.back().extent * dim.extent, dim.row_step, 0};
    } else {
      loops.push_back(dim);
    }
  }
  return loops;
}

bool lies_in_rows(const View& view, std::size_t channel_axis) {
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    if (axis != channel_axis && !is_row_axis(view, axis)) return false;
  }
  return is_channel_axis(view, channel_axis);
}

bool keeps_first(const Shape& from, const Shape& to) {
  return !from.empty() && !to.empty() && from[0] == to[0] && graph::element_count(from) > 0;
}

bool is_image(const Shape& shape) {
  return shape.size() == 3 || shape.size() == 4;
}

std::int64_t columns_of(const Shape& shape) {
  return graph::element_count(shape) / shape[0];
}

}  // namespace

/// Copies the rows of `view`, whose `axis` lies along the channels, in the order of its other axes.
std::optional<View> Planner::ordered_rows(const View& view, std::size_t axis, ValueId value) {
  std::vector<ViewDim> loops = row_loops(view, axis);
  const std::size_t outer = loops.size() > kLoops ? loops.size() - kLoops : 0;
  std::vector<std::int64_t> rows = {view.row};  // where each part begins
  for (std::size_t i = 0; i < outer; ++i) {
    std::vector<std::int64_t> more;
    for (const std::int64_t row : rows) {
      for (std::int64_t at = 0; at < loops[i].extent; ++at) {
        more.push_back(row + at * loops[i].row_step);
      }
    }
    rows = std::move(more);
    if (std::ssize(rows) > kMostParts) return std::nullopt;
  }
  loops.erase(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(outer));
  const View ordered = dense_view(segment_->sheets.size(), view.shape(), axis);
  Sheet sheet;
  sheet.size = dense_sheet(view.shape(), axis);
  sheet.value = value;
  sheet.view = ordered;
  segment_->sheets.push_back(std::move(sheet));
  ConcatLayer layer;
  layer.out = ordered;
  ElementwiseLayer part;
  part.a = view;
  part.walk = walk_of(loops);
  part.channels = view.dims[axis].extent;
  part.out = ordered;
  for (const std::int64_t row : rows) {
    part.a.row = row;
    layer.parts.push_back(part);
    part.out.row += part.walk.rows();
  }
  add_movement("Copy", value, view.shape(), std::move(layer), "rows in another order");
  return ordered;
}

/// Plans a Reshape or Flatten whose elements have to be moved.
Refusal Planner::plan_rearranged(const graph::Node& node, const LayerOperand& source) {
  constexpr const char* kMoves = "the elements would have to be moved";
  const ValueId result = node.outputs[0];
  const Shape from = source.view.shape();
  const Shape& to = graph_.type(result).shape;
  if (int8() || source.flattened || only_leaves(result) ||
      !graph::is_float(graph_.type(result).type)) {
    return kMoves;
  }
  const auto axis = channel_axis_of(source.view);
  if (axis && lies_in_rows(source.view, *axis)) {
    const auto view = reshaped(dense_view(0, from, *axis), to);
    if (view && channel_axis_of(*view)) return plan_ordered_rows(node, source.view, *axis);
  }
  if (!keeps_first(from, to) || columns_of(from) > kMostMoved) return kMoves;
  if (is_image(from) && to.size() == 2 && lies_in_rows(source.view, 1)) {
    return plan_flat_rows(node, source.view);
  }
  if (from.size() == 2 && is_image(to) && lies_in_rows(source.view, 1)) {
    return plan_image_of_rows(node, source.view);
  }
  return kMoves;
}

/// Repeats rows; channels cannot be repeated.
Refusal Planner::plan_expand(const graph::Node& node) {
  const auto known = segment_->values.find(node.input(0));
  if (int8()) return "the machine has no Expand";
  if (known == segment_->values.end() || known->second.flattened) {
    return "its input is on the host already";
  }
  const ValueId result = node.outputs[0];
  const Shape& to = graph_.type(result).shape;
  if (graph::element_count(to) == 0) return "it is empty";
  View view = known->second.view;
  view.dims.insert(view.dims.begin(), to.size() - view.dims.size(), ViewDim{});
  auto axis = channel_axis_of(view);
  // With one channel, takes an axis that stays 1.
  for (std::size_t i = 0; axis && view.dims[*axis].extent != to[*axis] && i < to.size(); ++i) {
    if (is_channel_axis(view, i) && view.dims[i].extent == to[i]) axis = i;
  }
  if (!axis || !lies_in_rows(view, *axis)) return "its input does not lie in rows of channels";
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (view.dims[i].extent == to[i]) continue;
    if (i == *axis) return "it repeats channels";
    view.dims[i] = {to[i], 0, 0};
  }
  const auto ordered = ordered_rows(view, *axis, result);
  if (!ordered) return "its rows would be copied in too many parts";
  segment_->values[result] = {.view = *ordered};
  return std::nullopt;
}

Refusal Planner::plan_ordered_rows(const graph::Node& node, const View& source, std::size_t axis) {
  const auto ordered = ordered_rows(source, axis, node.input(0));
  if (!ordered) return "its rows would be copied in too many parts";
  segment_->values[node.outputs[0]] = {.view =
                                           *reshaped(*ordered, graph_.type(node.outputs[0]).shape)};
  return std::nullopt;
}

Refusal Planner::plan_flat_rows(const graph::Node& node, const View& image) {
  const std::int64_t size = columns_of(image.shape());
  ContractionLayer layer;
  image_as_windows(image, layer);
  layer.n = size;
  layer.weights = ConstantWeights{.make = moves(1, size), .fixed = true};
  layer.out = new_result(node.outputs[0], 1);
  add_layer(node, node.outputs[0], 0, std::move(layer), "moved by the array");
  return std::nullopt;
}

Refusal Planner::plan_image_of_rows(const graph::Node& node, const View& flat) {
  const ValueId result = node.outputs[0];
  const Shape& shape = graph_.type(result).shape;
  const std::int64_t count = shape[0];
  const std::int64_t channels = shape[1];
  const std::int64_t positions = columns_of(shape) / channels;
  ContractionLayer layer;
  layer.a = flat;
  layer.walk = walk_of(row_loops(flat, 1));
  layer.k = columns_of(shape);
  layer.n = channels;
  layer.weights = ConstantWeights{.make = moves(positions, channels), .fixed = true};
  layer.batch.clear();
  for (std::int64_t p = 0; p < positions; ++p) {
    layer.batch.push_back({.out_row = p * count, .matrix = p});
  }
  // The rows are in the order (position, image); ordered_rows() below puts images first.
  layer.out = dense_view(segment_->sheets.size(), shape, 1);
  layer.out.dims[0].row_step = 1;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) layer.out.dims[axis].row_step *= count;
  Sheet sheet;
  sheet.size = dense_sheet(shape, 1);
  sheet.value = result;
  sheet.view = layer.out;
  segment_->sheets.push_back(std::move(sheet));
  const View moved = layer.out;
  add_layer(node, result, 0, std::move(layer), "moved by the array");
  segment_->values[result] = {.view = *ordered_rows(moved, 1, result)};
  return std::nullopt;
}

}  // namespace weft::compiler
