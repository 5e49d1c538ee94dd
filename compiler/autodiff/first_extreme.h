// The gradient of a maximum or minimum over whole axes.
#pragma once

#include "compiler/autodiff/node_gradient.h"

namespace weft::autodiff {

/// `dy` where input 0 is first, in row-major order over `axes`, equal to `y`; 0 elsewhere. y and dy
/// have extent 1 along the axes. Refuses more than 2^24 positions, which float32 does not number.
ValueId to_first_extreme(NodeGradient& g, ValueId y, ValueId dy, const Ints& axes);

}  // namespace weft::autodiff
