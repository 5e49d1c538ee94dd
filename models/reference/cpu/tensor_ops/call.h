// How kernels read a NodeCall. call.outputs holds the types and shapes of the results, from shape
// inference. Kernels check only what depends on elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/graph/evaluator.h"
#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference::tensor_ops {

/// Throws InputError unless `operand` has elements of type `expected`.
void check_type(const graph::Tensor& operand, graph::DataType expected);

/// The attribute `axis`, or `otherwise` without it, counted from the front. Throws InputError
/// unless -rank <= axis < rank.
std::int64_t axis_of(const graph::NodeCall& call, std::int64_t otherwise, std::int64_t rank);

/// `index` counted from the front. Throws InputError unless -extent <= index < extent.
std::int64_t checked_index(std::int64_t index, std::int64_t extent);

/// A shape split at one of its dimensions: element (o, a, i) is at (o * extent + a) * inner + i.
struct AxisView {
  std::int64_t outer = 1;
  std::int64_t extent = 1;
  std::int64_t inner = 1;
};

/// The view of `shape` at `axis`. Throws InputError unless 0 <= axis < rank.
AxisView view_along(const graph::Shape& shape, std::int64_t axis);

}  // namespace weft::reference::tensor_ops
