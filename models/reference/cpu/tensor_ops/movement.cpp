// Transpose, Expand, Tile and Slice: each copies a strided view.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/graph/shapes/slice.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/strided_copy.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Shape;
using graph::Tensor;

// The attribute `perm`; without it, the dimensions are reversed.
Shape permutation(const NodeCall& call, std::int64_t rank) {
  Shape reversed(static_cast<std::size_t>(rank));
  for (std::int64_t d = 0; d < rank; ++d) reversed[static_cast<std::size_t>(d)] = rank - 1 - d;
  Shape result = call.attributes.integers("perm", reversed);
  if (!std::is_permutation(result.begin(), result.end(), reversed.begin(), reversed.end())) {
    throw InputError("attribute perm: must name every dimension once");
  }
  return result;
}

// The integers in input `i`; empty if it is left out.
Shape numbers(const NodeCall& call, std::size_t i) {
  const Tensor* tensor = optional_input(call, i);
  return tensor == nullptr ? Shape{} : graph::to_int64(*tensor);
}

StridedView sliced(const NodeCall& call, const Tensor& x) {
  StridedView view{{}, graph::row_major_strides(x.shape()), 0};
  const std::vector<graph::SliceDim> slices = graph::resolve_slices(
      x.shape(), numbers(call, 1), numbers(call, 2), numbers(call, 3), numbers(call, 4));
  for (std::size_t d = 0; d < slices.size(); ++d) {
    view.extents.push_back(slices[d].length);
    // An empty slice reads nothing. For a single element, the step may be too large to multiply.
    if (slices[d].length > 0) view.start += slices[d].start * view.strides[d];
    view.strides[d] *= slices[d].length > 1 ? slices[d].step : 0;
  }
  return view;
}

std::vector<Tensor> evaluate_transpose(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Shape own = graph::row_major_strides(x.shape());
  StridedView view;
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

// Every dimension becomes two: its repeats, with stride 0, and itself.
std::vector<Tensor> evaluate_tile(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Shape repeats = numbers(call, 1);
  if (repeats.size() != x.shape().size()) {
    throw InputError(
        fmt::format("{} repeats are given for {} dimensions", repeats.size(), x.rank()));
  }
  const Shape own = graph::row_major_strides(x.shape());
  StridedView view;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    view.extents.insert(view.extents.end(), {repeats[d], x.shape()[d]});
    view.strides.insert(view.strides.end(), {0, own[d]});
  }
  return {copy_view(x, view, call.outputs[0].shape)};
}

std::vector<Tensor> evaluate_slice(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const StridedView view = sliced(call, x);
  return {copy_view(x, view, view.extents)};
}

}  // namespace

Kernels movement_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kSlice, evaluate_slice},
      {Op::kTranspose, evaluate_transpose},
      {Op::kExpand, evaluate_expand},
      {Op::kTile, evaluate_tile},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
