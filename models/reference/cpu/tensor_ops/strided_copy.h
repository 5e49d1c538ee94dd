// Copies a strided view of a tensor into a row-major tensor. Transpose, Slice, Expand and Tile are
// such copies.
#pragma once

#include "compiler/graph/tensor.h"

namespace weft::reference::tensor_ops {

/// A walk over a tensor: element `start + sum of index_d * strides[d]` for every index below the
/// extents, in row-major order. All elements of the walk must lie in the tensor.
struct StridedView {
  graph::Shape extents;
  graph::Shape strides;
  std::int64_t start = 0;
};

/// Copies the view to a tensor of shape `shape`. Throws InputError if the view has another number
/// of elements.
graph::Tensor copy_view(const graph::Tensor& tensor, const StridedView& view,
                        const graph::Shape& shape);

}  // namespace weft::reference::tensor_ops
