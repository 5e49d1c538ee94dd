// The function with which the compiler computes nodes before the run. The reference backend
// (models/reference/cpu) provides it, so the compiler does not depend on that backend.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

/// One node with its values. Omitted inputs are null.
struct NodeCall {
  Op op = Op::kIdentity;
  const Attributes& attributes;
  std::span<const Tensor* const> inputs;
  std::span<const ValueType> outputs;  // from infer_outputs()
};

/// Returns the outputs. May throw InputError, for example for an index out of range or a division
/// by zero.
using Evaluator = std::function<std::vector<Tensor>(const NodeCall&)>;

}  // namespace weft::graph
