// The ranges that Slice and Shape select. Shape inference, reference and lowering share this code.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

/// One dimension of a slice: output position o < length reads input position start + o*step.
struct SliceDim {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t length = 0;
  friend bool operator==(const SliceDim&, const SliceDim&) = default;
};

/// One entry per dimension of `shape`, from the inputs of a Slice; `axes` and `steps` are empty if
/// the node omits them. Negative starts and ends count from the end; all are clamped to the
/// dimension, as in NumPy. Throws InputError for lists of different lengths, an axis that is out of
/// range or occurs twice, or a step of 0.
std::vector<SliceDim> resolve_slices(const Shape& shape, const std::vector<std::int64_t>& starts,
                                     const std::vector<std::int64_t>& ends,
                                     const std::vector<std::int64_t>& axes,
                                     const std::vector<std::int64_t>& steps);

/// The range [first, second) of the `rank` dimensions that a Shape node with these attributes
/// returns.
std::pair<std::int64_t, std::int64_t> shape_range(const Attributes& attributes, std::int64_t rank);

}  // namespace weft::graph
