#include "models/reference/cpu/tensor_ops/call.h"

#include <fmt/format.h>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"

namespace weft::reference::tensor_ops {

void check_type(const graph::Tensor& operand, graph::DataType expected) {
  if (operand.type() == expected) return;
  throw InputError(fmt::format("an operand is {} where {} is expected",
                               graph::to_string(operand.type()), graph::to_string(expected)));
}

std::int64_t axis_of(const graph::NodeCall& call, std::int64_t otherwise, std::int64_t rank) {
  return graph::normalized_axis(call.attributes.integer("axis", otherwise), rank);
}

std::int64_t checked_index(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) {
    throw InputError(fmt::format("index {} is outside of {}..{}", index, -extent, extent - 1));
  }
  return index < 0 ? index + extent : index;
}

AxisView view_along(const graph::Shape& shape, std::int64_t axis) {
  if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) {
    throw InputError(
        fmt::format("axis {} is out of range for shape {}", axis, graph::to_string(shape)));
  }
  const auto at = static_cast<std::size_t>(axis);
  AxisView view{1, shape[at], 1};
  if (graph::element_count(shape) == 0) view.outer = 0;
  for (std::size_t d = 0; d < at; ++d) view.outer *= shape[d];
  for (std::size_t d = at + 1; d < shape.size(); ++d) view.inner *= shape[d];
  return view;
}

}  // namespace weft::reference::tensor_ops
