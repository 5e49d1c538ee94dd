// Sums and means over the rows of a sheet, such as gradients of biases and batch statistics. They
// are one product of a row of ones with the rows, which are fetched as tiles. So the sums are added
// down the array and fold by fold, as in any product.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/rows/ceil_div.h"
#include "compiler/rows/elements.h"
#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::ValueId;

namespace {

constexpr const char* kScattered = "its rows are not consecutive";

std::function<Matrix()> row_of_ones(std::int64_t count, ElementType dtype) {
  return [count, dtype] {
    graph::Tensor ones(graph::DataType::kFloat32, {1, count});
    std::ranges::fill(ones.mutable_data<float>(), 1.0F);
    return to_sheet(ones, dense_view(0, ones.shape(), 1), {1, count}, dtype);
  };
}

/// How many rows all axes but `channel_axis` have; nullopt if the rows are not consecutive.
std::optional<std::int64_t> run_of_rows(const View& view, std::size_t channel_axis) {
  std::vector<ViewDim> loops;
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    if (axis == channel_axis || view.dims[axis].extent == 1) continue;
    if (!is_row_axis(view, axis)) return std::nullopt;
    loops.push_back(view.dims[axis]);
  }
  std::ranges::sort(loops, {}, &ViewDim::row_step);
  std::int64_t rows = 1;
  for (const ViewDim& loop : loops) {
    if (loop.row_step != rows) return std::nullopt;
    rows *= loop.extent;
  }
  return rows;
}

}  // namespace

/// True if the unified buffer holds a column tile of `rows` rows, which a sum needs at once,
/// together with a row of the other operand, one of the result, and constants.
bool Planner::tile_fits(std::int64_t rows) const {
  const std::int64_t planes =
      ceil_div(std::int64_t{config_.array_cols}, std::int64_t{config_.array_rows});
  const std::int64_t others = 1 + 4 * std::int64_t{config_.result_row_rows()};
  return rows * planes + others <= static_cast<std::int64_t>(config_.unified_buffer_rows());
}

/// Sums all rows to one. `axis` lies along the channels and is kept.
Refusal Planner::plan_sum_of_rows(const graph::Node& node, ReductionKind kind, std::size_t axis,
                                  const std::vector<std::int64_t>& reduced) {
  if (int8()) return "a sum over rows of integers";
  const bool mean = kind == ReductionKind::kMean;
  if (!mean && kind != ReductionKind::kSum) return "a maximum or minimum over rows";
  const auto view = plain_operand(node.input(0), axis);
  if (!view || !is_channel_axis(*view, axis)) return kUnreadableByArray;
  const auto rows = run_of_rows(*view, axis);
  if (!rows) return kScattered;
  if (!tile_fits(*rows)) return kTooManyRows;
  ContractionLayer layer;
  layer.a = constant_sheet({1, *rows}, row_of_ones(*rows, config_.dtype));
  layer.k = *rows;
  layer.n = view->dims[axis].extent;
  layer.weights = ComputedWeights{*view, false, {}};
  if (mean) {
    layer.epilogue.scale = [count = *rows] {
      return graph::Tensor::scalar(static_cast<float>(count));
    };
    layer.epilogue.divides = true;
  }
  const ValueId result = node.outputs[0];
  const bool keeps = graph_.type(result).shape.size() == view->dims.size();
  const std::int64_t before = std::ranges::count_if(
      reduced, [&](std::int64_t other) { return other < static_cast<std::int64_t>(axis); });
  layer.out = new_result(result, keeps ? axis : axis - static_cast<std::size_t>(before),
                         only_leaves(result));
  add_layer(node, result, 0, std::move(layer), "as the product of a row of ones with the rows");
  return std::nullopt;
}

}  // namespace weft::compiler
