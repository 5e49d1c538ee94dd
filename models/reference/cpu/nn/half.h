// float16: computed in float32, rounded to nearest even once an operator is done.
#pragma once

#include "models/reference/cpu/nn/node_call.h"

namespace weft::reference {

/// A float16 tensor as float32; exact.
Tensor widened(const Tensor& tensor);
/// A float32 tensor as float16.
Tensor narrowed(const Tensor& tensor);

/// evaluate(the call with float32 in place of float16), its float16 outputs narrowed.
Tensors evaluate_widened(const NodeCall& call, Tensors (*evaluate)(const NodeCall& call));

}  // namespace weft::reference
