// How the compiler computes what it can know before the run, without knowing who computes it: the
// reference backend (models/reference/cpu) gives it this function.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

/// One node with its values. Inputs that are left out are null.
struct NodeCall {
  Op op = Op::kIdentity;
  const Attributes& attributes;
  std::span<const Tensor* const> inputs;
  std::span<const ValueType> outputs;  // what infer_outputs() gave
};

/// Returns the outputs. May throw InputError (an index out of range, a division by zero).
using Evaluator = std::function<std::vector<Tensor>(const NodeCall&)>;

}  // namespace weft::graph
