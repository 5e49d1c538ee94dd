// float16 operators: computed in float32, with the results rounded to nearest even at the end.
#pragma once

#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference {

/// A float16 tensor as float32; exact.
Tensor widened(const Tensor& tensor);
/// A float32 tensor as float16.
Tensor narrowed(const Tensor& tensor);

/// True if an input is float16.
bool has_half(const NodeCall& call);

/// Calls `evaluate` with float32 in place of float16, then narrows the float16 outputs.
Tensors evaluate_widened(const NodeCall& call, Tensors (*evaluate)(const NodeCall& call));

/// `kernel`, and for float16 inputs evaluate_widened().
template <Tensors (*kernel)(const NodeCall& call)>
Tensors with_half(const NodeCall& call) {
  return has_half(call) ? evaluate_widened(call, kernel) : kernel(call);
}

}  // namespace weft::reference
