// Transpose, Expand, Tile and Slice: each a strided view, copied.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/operator_table.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/strided_copy.h"
#include "sim/config/error.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Shape;
using graph::Tensor;

// The permutation; without one the dimensions are reversed.
Shape permutation(const NodeCall& call, std::int64_t rank) {
  Shape reversed(static_cast<std::size_t>(rank));
  for (std::int64_t d = 0; d < rank; ++d) reversed[static_cast<std::size_t>(d)] = rank - 1 - d;
  Shape result = call.attributes.integers("perm", reversed);
  if (!std::is_permutation(result.begin(), result.end(), reversed.begin(), reversed.end())) {
    throw InputError("attribute perm: must name every dimension once");
  }
  return result;
}

/// One dimension's slice: `extent` elements from `start` on, `step` apart.
struct Slice {
  std::int64_t start = 0;
  std::int64_t extent = 0;
  std::int64_t step = 1;
};

// Starts and ends count from the back if negative, and are clamped to where a walk with this step
// may begin and end: for a negative step from the last element down to before the first.
Slice resolve_slice(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  if (step == 0) throw InputError("a slice's step is 0");
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? extent : extent - 1;
  const auto resolved = [&](std::int64_t position) {
    return std::clamp(position < 0 ? position + extent : position, low, high);
  };
  Slice slice{resolved(start), 0, step};
  // Positions lie in [-1, extent], so that only the step itself may be extreme.
  const std::int64_t span = step > 0 ? resolved(end) - slice.start : slice.start - resolved(end);
  if (span <= 0) return {0, 0, 1};
  const bool single = step > 0 ? step >= span : step <= -span;
  if (single) return {slice.start, 1, 0};
  const std::int64_t stride = step > 0 ? step : -step;
  slice.extent = (span + stride - 1) / stride;
  return slice;
}

// Input `i`'s numbers; `otherwise` if it is left out. Throws InputError if there are not `count`.
Shape numbers(const NodeCall& call, std::size_t i, const Shape& otherwise, std::size_t count) {
  const Tensor* tensor = optional_input(call, i);
  Shape result = tensor == nullptr ? otherwise : graph::to_int64(*tensor);
  if (result.size() != count) {
    throw InputError(
        fmt::format("input {} has {} elements where {} are expected", i, result.size(), count));
  }
  return result;
}

Shape first_axes(std::size_t count) {
  Shape axes(count);
  for (std::size_t d = 0; d < count; ++d) axes[d] = static_cast<std::int64_t>(d);
  return axes;
}

View sliced(const NodeCall& call, const Tensor& x) {
  const Shape starts = graph::to_int64(input(call, 1));
  const std::size_t count = starts.size();
  const Shape ends = numbers(call, 2, {}, count);
  const Shape axes = numbers(call, 3, first_axes(count), count);
  const Shape steps = numbers(call, 4, Shape(count, 1), count);
  View view{x.shape(), graph::row_major_strides(x.shape()), 0};
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::size_t>(graph::normalized_axis(axes[i], x.rank()));
    const Slice slice = resolve_slice(starts[i], ends[i], steps[i], view.extents[axis]);
    view.start += slice.start * view.strides[axis];
    view.extents[axis] = slice.extent;
    view.strides[axis] *= slice.step;
  }
  return view;
}

}  // namespace

std::vector<Tensor> evaluate_transpose(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Shape own = graph::row_major_strides(x.shape());
  View view;
  for (const std::int64_t d : permutation(call, x.rank())) {
    view.extents.push_back(x.shape()[static_cast<std::size_t>(d)]);
    view.strides.push_back(own[static_cast<std::size_t>(d)]);
  }
  return {copy_view(x, view, view.extents)};
}

std::vector<Tensor> evaluate_expand(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Shape& shape = call.outputs[0].shape;
  return {copy_view(x, {shape, broadcast_strides(x.shape(), shape)}, shape)};
}

// Every dimension becomes two: its repeats, which do not move, and itself.
std::vector<Tensor> evaluate_tile(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Shape repeats = numbers(call, 1, {}, x.shape().size());
  const Shape own = graph::row_major_strides(x.shape());
  View view;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    view.extents.insert(view.extents.end(), {repeats[d], x.shape()[d]});
    view.strides.insert(view.strides.end(), {0, own[d]});
  }
  return {copy_view(x, view, call.outputs[0].shape)};
}

std::vector<Tensor> evaluate_slice(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const View view = sliced(call, x);
  return {copy_view(x, view, view.extents)};
}

}  // namespace weft::reference::tensor_ops
