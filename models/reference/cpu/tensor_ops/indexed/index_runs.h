// Where indices point: runs of adjacent elements in a row-major tensor. The gathering operators
// read these runs, the scattering ones write to them. The CUDA backend uses them too.
//
//   data 3x4, GatherND with tuples of 1, indices [2] [0]        runs of 4 from 8 and 0
//   data 3x4, GatherElements along axis 1, indices [[3, 0]]     runs of 1 from 3 and 0
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/tensor.h"

namespace weft::reference::tensor_ops {

/// Run i has the `length` elements from starts[i] on.
struct IndexRuns {
  std::vector<std::int64_t> starts;
  std::int64_t length = 1;
};

/// GatherElements and ScatterElements: one element of `data` for each index. It lies at the index's
/// own position, but along `axis` (from the front) at the index. Throws InputError for an index out
/// of range.
IndexRuns element_runs(const graph::Tensor& indices, const graph::Shape& data, std::int64_t axis);

/// GatherND and ScatterND: one run of `data` for each tuple, which the last dimension of `indices`
/// holds. The first `batch_dims` dimensions of both are walked together. Throws InputError for an
/// index out of range.
IndexRuns tuple_runs(const graph::Tensor& indices, const graph::Shape& data,
                     std::int64_t batch_dims);

/// What a scattering operator does with an update: the attribute "reduction".
enum class ScatterFunction : std::uint8_t { kReplace, kAdd, kMul, kMax, kMin };

/// Throws InputError for an unknown reduction.
ScatterFunction scatter_function(const graph::Attributes& attributes);

}  // namespace weft::reference::tensor_ops
