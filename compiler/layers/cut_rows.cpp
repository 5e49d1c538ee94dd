#include "compiler/layers/cut_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace weft::compiler {
namespace {

/// `count` windows from window `from` on, over the positions that they read. Adds the first of
/// these positions to `before`. Windows that read only padding keep one position, so that the
/// operand has rows.
graph::WindowDim cut(const graph::WindowDim& dim, std::int64_t from, std::int64_t count,
                     std::int64_t& before) {
  const std::int64_t first = from * dim.stride - dim.pad_begin;
  const std::int64_t last = first + (count - 1) * dim.stride + dim.extent();
  const std::int64_t low = std::clamp<std::int64_t>(first, 0, dim.input - 1);
  const std::int64_t high = std::clamp(last, low + 1, dim.input);
  before = low;
  graph::WindowDim part = dim;
  part.input = high - low;
  part.output = count;
  part.pad_begin = low - first;
  part.pad_end = std::max<std::int64_t>(0, last - high);
  return part;
}

std::int64_t line_rows(const RowWalk& walk) {
  if (walk.images != 1 || walk.z.input != 1 || walk.z.output != 1) return 0;
  return walk.y.output > 1 ? walk.x.output : 1;
}

/// Rows [first, last) of the walk. Adds the operand's rows before these to `before`.
RowWalk cut(const RowWalk& walk, const PositionRange& rows, std::int64_t& before) {
  RowWalk part = walk;
  std::int64_t position = 0;
  if (walk.y.output > 1) {
    const std::int64_t width = walk.x.output;
    part.y = cut(walk.y, rows.first / width, (rows.last - rows.first) / width, position);
    before += position * walk.y_step;
  } else {
    part.x = cut(walk.x, rows.first, rows.last - rows.first, position);
    before += position * walk.x_step;
  }
  return part;
}

/// The same rows of the result belong to the same rows of the second operand.
bool follows_rows(const LaneStep& step) {
  if (std::holds_alternative<MakeTensor>(step.b)) return step.b_rows == 1;
  return std::holds_alternative<std::monostate>(step.b) || step.b_period == 0;
}

bool can_cut(const ContractionLayer& layer) {
  return layer.batch.size() == 1 && std::holds_alternative<ConstantWeights>(layer.weights) &&
         !layer.epilogue.bias_by_row;
}

bool can_cut(const WindowLayer& layer) {
  return layer.line_counts.empty() || layer.walk.y.output > 1;
}

template <class Layer>
bool can_cut(const Layer& layer) {
  if constexpr (requires { layer.steps; }) {
    return std::ranges::all_of(layer.steps, follows_rows);
  }
  return true;
}

/// The first row of the result's sheet.
std::int64_t first_row(const ContractionLayer& layer) {
  return layer.out.row + layer.batch.front().out_row;
}

template <class Layer>
std::int64_t first_row(const Layer& layer) {
  return layer.out.row;
}

template <class Layer>
std::int64_t line_rows(const Layer& layer) {
  const std::int64_t line = line_rows(layer.walk);
  return line > 0 && can_cut(layer) && first_row(layer) % line == 0 ? line : 0;
}

/// The parts lie side by side or one after another. Those one after another are not cut. All parts
/// of a layer share its constants in order, so none that has some can be left out.
std::int64_t line_rows(const ConcatLayer& layer) {
  const ElementwiseLayer& first = layer.parts.front();
  const bool side_by_side = std::ranges::all_of(layer.parts, [&](const ElementwiseLayer& part) {
    return part.out.row == first.out.row && part.walk.rows() == first.walk.rows();
  });
  std::int64_t most = side_by_side ? 1 : first.walk.rows();
  for (const ElementwiseLayer& part : layer.parts) most = std::lcm(most, line_rows(part));
  const auto fits = [&](const ElementwiseLayer& part) {
    return part.out.row % most == 0 && part.walk.rows() % most == 0 &&
           (side_by_side || !has_constant(part));
  };
  return most > 0 && std::ranges::all_of(layer.parts, fits) ? most : 0;
}

/// False if the layer writes none of the rows.
template <class Layer>
bool cut_layer(Layer& layer, const PositionRange& rows) {
  const std::int64_t begin = first_row(layer);
  const PositionRange part = {std::max<std::int64_t>(rows.first - begin, 0),
                              std::min(rows.last - begin, layer.walk.rows())};
  if (part.last <= part.first) return false;
  if constexpr (requires { layer.line_counts; }) {
    if (!layer.line_counts.empty()) layer.first_line += part.first / layer.walk.x.output;
  }
  if constexpr (requires { layer.border; }) {
    // Rows cut along x have lines of padding in all of them.
    if (layer.walk.y.output > 1 && part.first > 0) layer.border.first = 0;
    if (layer.walk.y.output > 1 && part.last < layer.walk.rows()) layer.border.last = 0;
  }
  std::int64_t before = 0;
  layer.walk = cut(layer.walk, part, before);
  layer.a.row += before;
  layer.out.row += part.first;
  if constexpr (requires { layer.epilogue; }) {
    if (layer.epilogue.residual) layer.epilogue.residual->row += part.first;
  }
  if constexpr (requires { layer.steps; }) {
    for (LaneStep& step : layer.steps) {
      if (auto* view = std::get_if<View>(&step.b)) view->row += part.first * step.b_step;
    }
  }
  return true;
}

bool cut_layer(ConcatLayer& layer, const PositionRange& rows) {
  std::vector<ElementwiseLayer> parts;
  for (ElementwiseLayer& part : layer.parts) {
    if (cut_layer(part, rows)) parts.push_back(std::move(part));
  }
  layer.parts = std::move(parts);
  return !layer.parts.empty();
}

}  // namespace

bool has_constant(const ElementwiseLayer& layer) {
  return std::ranges::any_of(layer.steps, [](const LaneStep& step) {
    return step.bias || std::holds_alternative<MakeTensor>(step.b);
  });
}

std::int64_t line_rows(const LayerBody& body) {
  return std::visit([](const auto& layer) { return line_rows(layer); }, body);
}

std::optional<LayerBody> cut_to_rows(const LayerBody& body, const PositionRange& rows) {
  if (line_rows(body) == 0) return std::nullopt;
  LayerBody part = body;
  const bool writes = std::visit([&](auto& layer) { return cut_layer(layer, rows); }, part);
  return writes ? std::optional(std::move(part)) : std::nullopt;
}

}  // namespace weft::compiler
