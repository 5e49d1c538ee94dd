// Where Slice and Shape cut, once for shape inference, reference and lowering alike.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

/// Output position o along a dimension is input position start + o*step, o < length.
struct SliceDim {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t length = 0;
  friend bool operator==(const SliceDim&, const SliceDim&) = default;
};

/// One entry for each dimension of `shape`, from the inputs of a Slice; `axes` and `steps` are
/// empty if the node has none. Starts and ends count from the end if negative and are clamped into
/// the dimension, as in NumPy. Throws InputError for lists of different lengths, an axis that is
/// out of range or stands twice, or a step of 0.
std::vector<SliceDim> resolve_slices(const Shape& shape, const std::vector<std::int64_t>& starts,
                                     const std::vector<std::int64_t>& ends,
                                     const std::vector<std::int64_t>& axes,
                                     const std::vector<std::int64_t>& steps);

/// The dimensions [first, second) that a Shape node with these attributes gives, of `rank`.
std::pair<std::int64_t, std::int64_t> shape_range(const Attributes& attributes, std::int64_t rank);

}  // namespace weft::graph
